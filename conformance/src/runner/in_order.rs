//! Puts numbered items back in order.

use std::collections::BTreeMap;

/// Hands out item 0, 1, 2 and so on as soon as each is there; they are added in any order.
pub(super) struct InOrder<T> {
    early: BTreeMap<usize, T>,
    next: usize,
}

impl<T> InOrder<T> {
    pub(super) const fn new() -> Self {
        Self { early: BTreeMap::new(), next: 0 }
    }

    /// Adds an item, and hands out those whose turn it is now.
    pub(super) fn add(&mut self, index: usize, item: T) -> impl Iterator<Item = T> {
        self.early.insert(index, item);
        std::iter::from_fn(|| {
            let item = self.early.remove(&self.next)?;
            self.next += 1;
            Some(item)
        })
    }

    /// What is left, when some before it will not come.
    pub(super) fn rest(self) -> impl Iterator<Item = T> {
        self.early.into_values()
    }
}

#[cfg(test)]
mod tests {
    use super::InOrder;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_order_becomes_this_order(shuffled in Just((0..20).collect::<Vec<usize>>()).prop_shuffle()) {
            let mut order = InOrder::new();
            let mut ordered = Vec::new();
            for index in shuffled {
                ordered.extend(order.add(index, index));
            }
            prop_assert_eq!(ordered, (0..20).collect::<Vec<usize>>());
        }
    }

    #[test]
    fn an_item_is_handed_out_in_its_turn_and_no_sooner() {
        let mut order = InOrder::new();
        assert_eq!(order.add(1, 'b').collect::<Vec<char>>(), []);
        assert_eq!(order.add(0, 'a').collect::<Vec<char>>(), ['a', 'b']);
        assert_eq!(order.add(2, 'c').collect::<Vec<char>>(), ['c']);
    }

    #[test]
    fn what_is_left_keeps_its_order() {
        let mut order = InOrder::new();
        assert_eq!(order.add(3, 'd').count(), 0);
        assert_eq!(order.add(1, 'b').count(), 0);
        assert_eq!(order.rest().collect::<Vec<char>>(), ['b', 'd']);
    }
}
