use super::*;

const CIPHERS: [Cipher; 4] = [
    Cipher::Aes256,
    Cipher::ChaCha8,
    Cipher::ChaCha12,
    Cipher::ChaCha20,
];

fn seeded(cipher: Cipher) -> Secure {
    Secure::from_seed(cipher, [9; KEY_BYTES])
}

fn bytes(random: &mut Secure, count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    random.fill_bytes(&mut bytes);
    bytes
}

/// FIPS 197's cipher of the zero block under the zero key of 256 bits (NIST's known-answer
/// test of AESAVS, varied text 0), and block 1 by itself.
#[test]
fn the_stream_of_aes_is_the_cipher_of_its_counters() {
    let mut stream = [0; BUFFER_BYTES];
    Cipher::Aes256.stream([0; KEY_BYTES], &mut stream);
    let first = 0xdc95_c078_a240_8989_ad48_a214_9284_2087_u128;
    assert_eq!(stream[..16], first.to_be_bytes());
    let mut block = (511u128).to_le_bytes().into();
    aes::Aes256::new(&[0; KEY_BYTES].into()).encrypt_block(&mut block);
    assert_eq!(stream[BUFFER_BYTES - 16..], block[..]);
}

#[test]
fn the_first_bytes_of_a_buffer_are_the_next_key_and_never_given_out() {
    for cipher in CIPHERS {
        let mut key = [9; KEY_BYTES];
        let mut expected = Vec::new();
        for _ in 0..3 {
            let mut stream = [0; BUFFER_BYTES];
            cipher.stream(key, &mut stream);
            key.copy_from_slice(&stream[..KEY_BYTES]);
            expected.extend_from_slice(&stream[KEY_BYTES..]);
        }
        assert_eq!(bytes(&mut seeded(cipher), expected.len()), expected);
    }
}

#[test]
fn words_and_slices_take_the_same_bytes_in_turn() {
    let (mut words, mut slices) = (seeded(Cipher::ChaCha8), seeded(Cipher::ChaCha8));
    for _ in 0..3000 {
        let (a, b) = (words.next_u64(), words.next_u32());
        let expected = [&a.to_le_bytes()[..], &b.to_le_bytes()[..]].concat();
        // 8,160 bytes are 680 times 12, so no word is cut off at a buffer's end.
        assert_eq!(bytes(&mut slices, 12), expected);
    }
}

#[test]
fn what_was_taken_is_wiped_and_a_short_rest_dropped() {
    let mut random = seeded(Cipher::Aes256);
    let _ = random.next_u64();
    let at = BUFFER_BYTES - random.state.left;
    assert_eq!(random.state.stream[..at], vec![0; at]);
    let count = random.state.left - 3;
    let _ = bytes(&mut random, count);
    assert_eq!(
        random.state.stream[..BUFFER_BYTES - 3],
        [0; BUFFER_BYTES - 3]
    );
    let _ = random.next_u64();
    assert_eq!(random.state.left, BUFFER_BYTES - KEY_BYTES - 8);
}

#[test]
fn generators_of_the_system_differ_and_mix_entropy_each_mib() {
    for cipher in CIPHERS {
        let mut two = [(); 2].map(|()| Secure::new(cipher).unwrap());
        let [a, b] = two.each_mut().map(|random| random.next_u64());
        assert_ne!(a, b);
    }
    // From the same key on, the one that mixes leaves the other at the 128th buffer.
    let mut mixing = seeded(Cipher::Aes256);
    mixing.state.origin = SYSTEM;
    let mut plain = seeded(Cipher::Aes256);
    let usual = BUFFER_BYTES - KEY_BYTES;
    for buffer in 0..=BUFFERS_PER_MIX {
        let same = bytes(&mut mixing, usual) == bytes(&mut plain, usual);
        assert_eq!(same, buffer < BUFFERS_PER_MIX, "{buffer}");
    }
}

/// What a forked child finds: zeroes. It must not go on with them.
#[test]
fn a_wiped_state_starts_anew_from_the_system() {
    let mut random = seeded(Cipher::Aes256);
    let _ = random.next_u64();
    *random.state = State::ZEROES;
    let first = random.next_u64();
    assert_eq!(random.state.origin, SYSTEM);
    *random.state = State::ZEROES;
    assert_ne!(random.next_u64(), first);
    assert_ne!(random.state.key, [0; KEY_BYTES]);
}

/// Without a kernel that wipes: another process id, as a child has, means a new key.
#[test]
fn another_process_is_noticed_at_the_next_buffer() {
    let mut random = seeded(Cipher::Aes256);
    let usual = BUFFER_BYTES - KEY_BYTES;
    let _ = bytes(&mut random, usual);
    random.process = random.process.wrapping_add(1);
    let mut child = seeded(Cipher::Aes256);
    let _ = bytes(&mut child, usual);
    let same = bytes(&mut random, usual) == bytes(&mut child, usual);
    assert_eq!(same, random.state.by_kernel());
}

#[test]
fn it_says_nothing_of_its_state() {
    assert_eq!(
        format!("{:?}", seeded(Cipher::ChaCha20)),
        "Secure(ChaCha20)"
    );
}
