//! The free pages of a file: [`Freelist`].

/// Free pages in the order in which they are used again (`freePage2` and
/// `allocateBtreePage` of `btree.c`): a chain of trunk pages that list others.
///
/// Not modelled: that all trees of a file share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Freelist {
    /// Each trunk with the pages that it lists; the chain begins with the last.
    trunks: Vec<(u32, Vec<u32>)>,
    pages: u32,
}

impl Freelist {
    /// Pages, trunks included.
    pub fn len(&self) -> u32 {
        self.pages
    }

    /// Takes a page: of those that the first trunk lists, the one nearest to
    /// `nearby`, or the first if that is none; the trunk itself if it lists none.
    /// Returns the page, and the trunk if it is another.
    pub fn take(&mut self, nearby: Option<u32>) -> Option<(u32, Option<u32>)> {
        let (trunk, listed) = self.trunks.last_mut()?;
        self.pages -= 1;
        let distance = |at: &usize| nearby.map_or(0, |nearby| listed[*at].abs_diff(nearby));
        match (0..listed.len()).min_by_key(distance) {
            Some(at) => Some((listed.swap_remove(at), Some(*trunk))),
            None => self.trunks.pop().map(|(trunk, _)| (trunk, None)),
        }
    }

    /// Adds a page, which is listed by the first trunk if there is one with room;
    /// a trunk of `page_bytes` lists up to `page_bytes` / 4 - 8. Returns that trunk.
    pub fn add(&mut self, page: u32, page_bytes: u32) -> Option<u32> {
        self.pages += 1;
        match self.trunks.last_mut() {
            Some((trunk, listed)) if listed.len() < page_bytes as usize / 4 - 8 => {
                listed.push(page);
                Some(*trunk)
            }
            _ => {
                self.trunks.push((page, Vec::new()));
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_come_back_nearest_first_and_trunks_last() {
        let mut list = Freelist::default();
        let trunks: Vec<_> = (10..15).map(|page| list.add(page, 44)).collect();
        let first = Some(10);
        assert_eq!(trunks, [None, first, first, first, None]);
        assert_eq!(list.take(Some(12)), Some((14, None)));
        assert_eq!(list.take(Some(12)), Some((12, first)));
        assert_eq!(list.take(Some(12)), Some((11, first)));
        assert_eq!(list.take(None), Some((13, first)));
        assert_eq!(list.len(), 1);
        assert_eq!(list.take(None), Some((10, None)));
        assert_eq!(list.take(None), None);
    }
}
