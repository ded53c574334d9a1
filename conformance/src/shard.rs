//! A share of the suite, for runs that are split over machines.

use std::fmt;
use std::str::FromStr;

/// Shard `index` of `count`, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    count: usize,
}

/// A text is not a shard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected I/N with 1 <= I <= N, as in 2/4")]
pub struct NotAShard;

impl Shard {
    /// Every `count`-th item, beginning with the `index`-th.
    pub fn pick<T>(self, items: Vec<T>) -> Vec<T> {
        items.into_iter().skip(self.index - 1).step_by(self.count).collect()
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = NotAShard;

    fn from_str(text: &str) -> Result<Self, NotAShard> {
        let (index, count) = text.split_once('/').ok_or(NotAShard)?;
        let index = index.parse().map_err(|_| NotAShard)?;
        let count = count.parse().map_err(|_| NotAShard)?;
        if (1..=count).contains(&index) { Ok(Self { index, count }) } else { Err(NotAShard) }
    }
}

#[cfg(test)]
mod tests {
    use super::{NotAShard, Shard};
    use proptest::prelude::*;

    #[test]
    fn what_is_no_shard_is_refused() {
        for text in ["", "1", "0/2", "3/2", "1/0", "-1/2", "a/b", "1/2/3"] {
            assert_eq!(text.parse::<Shard>(), Err(NotAShard), "{text}");
        }
    }

    proptest! {
        #[test]
        fn shards_are_a_partition(len in 0usize..200, count in 1usize..20) {
            let items: Vec<usize> = (0..len).collect();
            let mut seen: Vec<usize> =
                (1..=count).flat_map(|index| Shard { index, count }.pick(items.clone())).collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, items);
        }

        #[test]
        fn shards_are_of_equal_size(len in 0usize..200, count in 1usize..20) {
            let size = |index| Shard { index, count }.pick(vec![(); len]).len();
            prop_assert!(size(1) - size(count) <= 1);
        }
    }
}
