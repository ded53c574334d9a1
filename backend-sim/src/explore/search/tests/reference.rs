//! Random graphs, and what a naive search says about them.

use super::*;
use crate::rng::Stream;

const BAD_MOVE: Broken = Broken("bad-move");
const BAD_REST: Broken = Broken("bad-rest");

/// Where a move leads.
#[derive(Clone, Copy)]
struct Edge {
    to: Option<usize>,
    recurs: bool,
}

/// Nodes with their moves; the number of a node is its state.
struct Graph {
    nodes: Vec<Vec<Edge>>,
    bad_rests: bool,
}

impl Graph {
    fn random(seed: u64) -> Self {
        let mut stream = Stream::numbered(7, seed);
        let count = 1 + stream.index(40);
        let bad = 20 + stream.below(400);
        let back = stream.index(4);
        let mut node = |at: usize| {
            let edges = 0..stream.index(4);
            let edge = |_| {
                let nearest = if stream.index(6) < back { 0 } else { (at + 1).min(count - 1) };
                let to = nearest + stream.index((count - nearest).min(5));
                Edge { to: (stream.below(bad) > 0).then_some(to), recurs: stream.index(3) == 0 }
            };
            edges.map(edge).collect()
        };
        let nodes = (0..count).map(&mut node).collect();
        Self { nodes, bad_rests: seed.is_multiple_of(8) }
    }

    /// Moves from a node to each other one, at least one move, and not by those that may recur if `ordinary`.
    fn distances(&self, from: usize, ordinary: bool) -> Vec<Option<usize>> {
        let mut distances = vec![None; self.nodes.len()];
        let mut level = vec![from];
        for distance in 1.. {
            let edges = level.iter().flat_map(|&at| &self.nodes[at]);
            let mut next: Vec<_> =
                edges.filter(|edge| !(ordinary && edge.recurs)).filter_map(|edge| edge.to).collect();
            next.retain(|&to| distances[to].is_none());
            if next.is_empty() {
                return distances;
            }
            for &to in &next {
                distances[to] = Some(distance);
            }
            level = next;
        }
        distances
    }

    fn depths(&self) -> Vec<Option<usize>> {
        let mut depths = self.distances(0, false);
        depths[0] = Some(0);
        depths
    }

    /// What is broken with the fewest moves, and how many these are.
    fn nearest(&self) -> Option<(usize, Broken)> {
        let reached =
            self.depths().into_iter().zip(&self.nodes).filter_map(|(depth, moves)| Some((depth?, moves)));
        let broken = reached.filter_map(|(depth, moves)| match moves.as_slice() {
            [] if self.bad_rests => Some((depth, BAD_REST)),
            moves => moves.iter().any(|edge| edge.to.is_none()).then_some((depth + 1, BAD_MOVE)),
        });
        broken.min_by_key(|&(moves, broken)| (moves, broken == BAD_REST))
    }

    fn has_livelock(&self) -> bool {
        let depths = self.depths();
        (0..self.nodes.len()).any(|at| depths[at].is_some() && self.distances(at, true)[at].is_some())
    }
}

impl Model for Graph {
    fn words(&self) -> usize {
        2
    }

    fn initial(&self) -> World {
        World::default()
    }

    fn moves(&self, world: &World, moves: &mut Moves) {
        let count = self.nodes[world.0[1] as usize].len() as u8;
        moves.extend((0..count).map(|choice| Move { actor: choice % 2, choice }));
    }

    fn perform(&self, world: &World, step: Move) -> Result<World, Broken> {
        let to = self.nodes[world.0[1] as usize][usize::from(step.choice)].to.ok_or(BAD_MOVE)?;
        Ok(World([0, to as u64, 0, 0, 0]))
    }

    fn at_rest(&self, _: &World) -> Result<(), Broken> {
        if self.bad_rests { Err(BAD_REST) } else { Ok(()) }
    }

    fn may_recur(&self, world: &World, step: Move) -> bool {
        self.nodes[world.0[1] as usize][usize::from(step.choice)].recurs
    }
}

/// The moves of a livelock lead to the nearest state of a cycle and once around it.
fn is_shortest(graph: &Graph, livelock: &Counterexample) -> bool {
    let mut visited = vec![World::default()];
    for &step in &livelock.moves {
        visited.extend(graph.perform(&visited[visited.len() - 1], step));
    }
    let end = visited[livelock.moves.len()].0[1] as usize;
    let path = graph.depths()[end];
    let cycle = graph.distances(end, true)[end];
    path.zip(cycle).is_some_and(|(path, cycle)| path + cycle == livelock.moves.len())
}

#[test]
fn every_search_agrees_with_a_naive_one_on_random_graphs() {
    let mut kinds = [0; 4];
    for seed in 0..2000 {
        let graph = Graph::random(seed);
        let report = facts(all(&graph, 1));
        match (graph.nearest(), &report.verdict) {
            (Some((moves, broken)), Verdict::Found(found)) => {
                assert_eq!((found.moves.len(), found.broken), (moves, broken), "graph {seed}");
                repeats(&graph, found);
                kinds[usize::from(broken == BAD_MOVE)] += 1;
            }
            (None, Verdict::Found(found)) => {
                assert_eq!(found.broken, LIVELOCK, "graph {seed}");
                repeats(&graph, found);
                assert!(is_shortest(&graph, found), "graph {seed}: {found:?}");
                kinds[2] += 1;
            }
            (None, Verdict::Exhausted) => {
                assert!(!graph.has_livelock(), "graph {seed}");
                assert_eq!(report.states, graph.depths().iter().flatten().count() as u64, "graph {seed}");
                assert_eq!(report.depth as usize, graph.depths().into_iter().flatten().max().unwrap_or(0));
                kinds[3] += 1;
            }
            (expected, verdict) => panic!("graph {seed}: expected {expected:?}, got {verdict:?}"),
        }
        for workers in [2, 3, 7] {
            assert_eq!(facts(all(&graph, workers)), report, "graph {seed} with {workers} workers");
        }
    }
    assert!(kinds.iter().all(|&count| count > 100), "too few of a kind: {kinds:?}");
}

#[test]
fn what_random_runs_of_random_graphs_break_breaks_again() {
    let mut kinds = [0; 3];
    for seed in 0..2000 {
        let graph = Graph::random(seed);
        let options = Random { seed, workers: 1, schedules: 10, steps: 60 };
        if let Verdict::Found(found) = random(&graph, &options, &mut |_| ControlFlow::Continue(())).verdict {
            repeats(&graph, &found);
            assert_eq!(shrink(&graph, found.clone()), found, "graph {seed}: shrunk once is shrunk");
            kinds[[BAD_MOVE, BAD_REST].iter().position(|&bad| bad == found.broken).unwrap_or(2)] += 1;
            assert!(found.broken != LIVELOCK || graph.has_livelock());
        }
    }
    assert!(kinds.iter().all(|&count| count > 50), "too few of a kind: {kinds:?}");
}
