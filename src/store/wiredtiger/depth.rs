//! How many lists of a skip list a new entry is in: [`Depths`].

/// WiredTiger's generator, two multiply-with-carry generators by Marsaglia, as each
/// session begins with it.
#[derive(Clone, Debug)]
pub(super) struct Depths {
    w: u32,
    z: u32,
}

impl Default for Depths {
    fn default() -> Self {
        Self {
            w: 521_288_629,
            z: 362_436_069,
        }
    }
}

const MAX_DEPTH: u32 = 10;

impl Depths {
    /// `__wt_skip_choose_depth`: each list has a quarter of the entries of the one below.
    pub fn draw(&mut self) -> u32 {
        let deeper = |_: &u32| self.next() < u32::MAX >> 2;
        1 + (1..MAX_DEPTH).take_while(deeper).count() as u32
    }

    fn next(&mut self) -> u32 {
        self.z = 36969u32
            .wrapping_mul(self.z & 0xFFFF)
            .wrapping_add(self.z >> 16);
        self.w = 18000u32
            .wrapping_mul(self.w & 0xFFFF)
            .wrapping_add(self.w >> 16);
        (self.z << 16).wrapping_add(self.w & 0xFFFF)
    }
}
