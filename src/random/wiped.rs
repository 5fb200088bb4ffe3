//! The one place with `unsafe`: memory that the kernel wipes in a forked child.
//!
//! A generator's state must not go on in two processes. On Linux the pages of a [`Wiped`]
//! value are marked `MADV_WIPEONFORK` (madvise(2), since 4.14), so that a child reads zeroes
//! where its parent reads the state; to see that costs nothing, as an empty buffer looks the
//! same. Elsewhere the value lives on the heap, and [`Wiped::by_kernel`] says so.

use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// Types of which all-zero bytes are a value, and that own nothing.
///
/// # Safety
/// Both must be so: memory of the type may turn into zeroes at a fork, and is never dropped.
pub(super) unsafe trait Zeroes: Copy + 'static {
    /// The value of zeroes only.
    const ZEROES: Self;
}

/// A value on pages of its own.
#[derive(Debug)]
pub(super) struct Wiped<T: Zeroes> {
    value: NonNull<T>,
    by_kernel: bool,
}

// SAFETY: a `Wiped` owns its value as a `Box` does.
unsafe impl<T: Zeroes + Send> Send for Wiped<T> {}
// SAFETY: as above; shared references give shared references only.
unsafe impl<T: Zeroes + Sync> Sync for Wiped<T> {}

impl<T: Zeroes> Wiped<T> {
    /// Zeroes.
    pub fn new() -> Self {
        match map() {
            Some(value) => Self {
                value,
                by_kernel: true,
            },
            None => Self {
                value: NonNull::from(Box::leak(Box::new(T::ZEROES))),
                by_kernel: false,
            },
        }
    }

    /// Whether a forked child finds zeroes here.
    pub fn by_kernel(&self) -> bool {
        self.by_kernel
    }
}

/// Fresh pages for a `T` that forks wipe; `None` where there is no such thing.
#[cfg(target_os = "linux")]
fn map<T: Zeroes>() -> Option<NonNull<T>> {
    const { assert!(align_of::<T>() <= 4096 && size_of::<T>() > 0) };
    let (bytes, anywhere) = (size_of::<T>(), std::ptr::null_mut());
    let (access, kind) = (
        libc::PROT_READ | libc::PROT_WRITE,
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
    );
    // SAFETY: a new private mapping touches no memory that is in use.
    let start = unsafe { libc::mmap(anywhere, bytes, access, kind, -1, 0) };
    if start == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: the whole mapping is ours, and nobody has a reference into it.
    unsafe {
        if libc::madvise(start, bytes, libc::MADV_WIPEONFORK) != 0 {
            libc::munmap(start, bytes);
            return None;
        }
    }
    // Page-aligned and all zeroes, which is a `T`.
    NonNull::new(start.cast())
}

#[cfg(not(target_os = "linux"))]
fn map<T: Zeroes>() -> Option<NonNull<T>> {
    None
}

impl<T: Zeroes> Deref for Wiped<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: `value` is valid and initialised from `new` until `drop`; a fork turns it
        // into zeroes in the child between two instructions of the one thread that lives on
        // there, within the call of `fork`, which may have changed any memory.
        unsafe { self.value.as_ref() }
    }
}

impl<T: Zeroes> DerefMut for Wiped<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as in `deref`, and `self` is borrowed for as long.
        unsafe { self.value.as_mut() }
    }
}

impl<T: Zeroes> Drop for Wiped<T> {
    fn drop(&mut self) {
        if self.by_kernel {
            #[cfg(target_os = "linux")]
            // SAFETY: the mapping came from `map` with this size and is not used again.
            unsafe {
                libc::munmap(self.value.as_ptr().cast(), size_of::<T>());
            }
        } else {
            **self = T::ZEROES;
            // SAFETY: the pointer came from a `Box` of this type and is not used again.
            drop(unsafe { Box::from_raw(self.value.as_ptr()) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SAFETY: an array of integers.
    unsafe impl Zeroes for [u64; 700] {
        const ZEROES: Self = [0; 700];
    }

    #[test]
    fn it_starts_with_zeroes_and_keeps_what_is_written() {
        let mut value = Wiped::<[u64; 700]>::new();
        assert_eq!(*value, [0; 700]);
        value[699] = 7;
        let moved = std::thread::spawn(move || value[699]).join().unwrap();
        assert_eq!(moved, 7);
    }

    #[test]
    fn the_heap_serves_where_the_kernel_does_not() {
        let mut value = Wiped {
            value: NonNull::from(Box::leak(Box::new([3u64; 700]))),
            by_kernel: false,
        };
        value[0] += 1;
        assert_eq!((value[0], value[1], value.by_kernel()), (4, 3, false));
    }

    /// The child tells what it sees by its exit code.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_forked_child_reads_zeroes_and_its_parent_what_it_wrote() {
        let mut value = Wiped::<[u64; 700]>::new();
        assert!(value.by_kernel());
        value.fill(5);
        // SAFETY: the child reads memory and ends, as a process with many threads may.
        let status = unsafe {
            let child = libc::fork();
            if child == 0 {
                let wiped = value.iter().all(|&word| word == 0);
                libc::_exit(if wiped { 42 } else { 1 });
            }
            let mut status = 0;
            assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
            status
        };
        assert!(libc::WIFEXITED(status));
        assert_eq!(libc::WEXITSTATUS(status), 42);
        assert_eq!(*value, [5; 700]);
    }
}
