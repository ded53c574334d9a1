//! Puts numbered items back in order.

use std::collections::BTreeMap;

/// Yields item 0, 1, 2 and so on as soon as each is there, from an iterator that yields them in any order.
pub(super) struct InOrder<T, I> {
    items: I,
    early: BTreeMap<usize, T>,
    next: usize,
}

impl<T, I: Iterator<Item = (usize, T)>> InOrder<T, I> {
    pub(super) const fn new(items: I) -> Self {
        Self { items, early: BTreeMap::new(), next: 0 }
    }
}

impl<T, I: Iterator<Item = (usize, T)>> Iterator for InOrder<T, I> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        loop {
            if let Some(item) = self.early.remove(&self.next) {
                self.next += 1;
                return Some(item);
            }
            let (index, item) = self.items.next()?;
            self.early.insert(index, item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::InOrder;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_order_becomes_this_order(shuffled in Just((0..20).collect::<Vec<usize>>()).prop_shuffle()) {
            let ordered: Vec<usize> = InOrder::new(shuffled.into_iter().map(|index| (index, index))).collect();
            prop_assert_eq!(ordered, (0..20).collect::<Vec<usize>>());
        }
    }

    #[test]
    fn an_item_is_yielded_before_later_ones_are_asked_for() {
        let mut items =
            InOrder::new([(0, 'a'), (2, 'c')].into_iter().chain(std::iter::from_fn(|| panic!("asked"))));
        assert_eq!(items.next(), Some('a'));
    }
}
