//! A dense table by page.

use crate::store::{PageId, Space};

/// One number for each page, 0 unless set: 4 bytes a page up to the highest number set in its space.
#[derive(Clone, Debug, Default)]
pub struct PageTable {
    spaces: [Vec<u32>; Space::COUNT],
}

impl PageTable {
    /// The page's number.
    #[inline]
    pub fn get(&self, page: PageId) -> u32 {
        let space = &self.spaces[page.space()];
        space.get(page.number() as usize).copied().unwrap_or(0)
    }

    /// Sets the page's number; what it was.
    #[inline]
    pub fn set(&mut self, page: PageId, value: u32) -> u32 {
        let space = &mut self.spaces[page.space()];
        let at = page.number() as usize;
        if at >= space.len() {
            space.resize((at + 1).next_power_of_two(), 0);
        }
        std::mem::replace(&mut space[at], value)
    }
}
