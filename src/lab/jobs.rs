//! Tasks, several at a time. What they are is not known here.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// How far workers may be ahead of what was handed over, for each of them: enough for a long task
/// among short ones, and a bound on what waits for it, or for a reader who does not read.
const AHEAD: usize = 64;

/// When what came of a task is handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// As it finishes.
    Finished,
    /// When all tasks before it have been.
    Given,
}

/// Carries out tasks, so many at a time, and hands over what came of each in the caller's thread, until
/// all are done, `done` breaks, or somebody sets `stop`. Then no task is begun any more; those under way
/// should see `stop` themselves, and what comes of them is handed over as well, unless `done` has broken.
///
/// Tasks are begun in their order and taken from the iterator as they are needed. One at a time has no
/// thread of its own.
///
/// # Panics
/// If a task does.
pub fn carry_out<T: Send, R: Send>(
    tasks: impl IntoIterator<Item = T>,
    jobs: usize,
    order: Order,
    stop: &AtomicBool,
    work: impl Fn(T) -> R + Sync,
    mut done: impl FnMut(R) -> ControlFlow<()>,
) {
    let mut tasks = tasks.into_iter();
    let stopped = || stop.load(Ordering::Relaxed);
    let (feed, queue) = mpsc::channel();
    let (sender, results) = mpsc::channel();
    let queue = &Mutex::new(queue);
    let work = &work;
    thread::scope(|scope| {
        // The queue ends with this scope, and the workers with the queue.
        let feed = feed;
        let worker = || {
            let sender = sender.clone();
            move || {
                // What a run with one thread shares out stays here: another thread would have to wait for a
                // core that is busy with the next run.
                let _here = rayon::ThreadPoolBuilder::new()
                    .num_threads(1)
                    .use_current_thread()
                    .build();
                while let Some((at, task)) = next(queue, stop) {
                    let result = task.map(|task| catch_unwind(AssertUnwindSafe(|| work(task))));
                    if sender.send((at, result)).is_err() {
                        break;
                    }
                }
            }
        };
        let spawn = |_: &usize| {
            let thread = thread::Builder::new();
            thread.spawn_scoped(scope, worker()).is_ok()
        };
        let workers = match jobs {
            0 | 1 => 0,
            // With fewer threads than were wanted it only takes longer.
            jobs => (0..jobs).take_while(spawn).count(),
        };
        if workers == 0 {
            for task in tasks.by_ref().take_while(|_| !stopped()) {
                if done(work(task)).is_break() {
                    stop.store(true, Ordering::Relaxed);
                }
            }
            return;
        }
        let (mut fed, mut back, mut handed) = (0, 0, 0);
        let mut waiting = BTreeMap::new();
        let mut flow = ControlFlow::Continue(());
        loop {
            while fed < handed + AHEAD * workers && !stopped() {
                let Some(task) = tasks.next() else { break };
                // Workers hold the other end for as long as there is a queue.
                let _ = feed.send((fed, task));
                fed += 1;
            }
            if back == fed {
                break;
            }
            let Ok((at, result)) = results.recv() else {
                break;
            };
            back += 1;
            match result {
                None => continue,
                Some(Ok(result)) => waiting.insert(at, result),
                Some(Err(panic)) => {
                    stop.store(true, Ordering::Relaxed);
                    resume_unwind(panic);
                }
            };
            while let Some(first) = waiting.first_entry() {
                if order == Order::Given && *first.key() != handed {
                    break;
                }
                let result = first.remove();
                handed += 1;
                if flow.is_continue() {
                    flow = done(result);
                }
                if flow.is_break() {
                    stop.store(true, Ordering::Relaxed);
                }
            }
        }
    });
}

/// The next of the queue with its number; only the number, if nothing is to be begun any more. The queue is
/// locked until that is decided, so that nobody begins what comes after.
fn next<T>(queue: &Mutex<Receiver<(usize, T)>>, stop: &AtomicBool) -> Option<(usize, Option<T>)> {
    let queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
    let (at, task) = queue.recv().ok()?;
    Some((at, Some(task).filter(|_| !stop.load(Ordering::Relaxed))))
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::AtomicUsize;
    use std::time::Duration;

    use super::*;

    fn never() -> AtomicBool {
        AtomicBool::new(false)
    }

    /// Every seventh task takes longer than those around it together.
    fn slow(task: usize) -> usize {
        if task % 7 == 3 {
            thread::sleep(Duration::from_millis(5));
        }
        task
    }

    fn results_of(jobs: usize, order: Order, work: impl Fn(usize) -> usize + Sync) -> Vec<usize> {
        let mut results = Vec::new();
        carry_out(0..60, jobs, order, &never(), work, |task| {
            results.push(task);
            ControlFlow::Continue(())
        });
        results
    }

    #[test]
    fn everything_is_done_once_and_in_order_if_that_is_wanted() {
        let all: Vec<_> = (0..60).collect();
        for jobs in [0, 1, 2, 5, 100] {
            assert_eq!(results_of(jobs, Order::Given, slow), all, "{jobs}");
        }
        // The first waits for the second.
        let second = AtomicBool::new(false);
        let work = |task| {
            while task == 0 && !second.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(1));
            }
            second.fetch_or(task == 1, Ordering::SeqCst);
            task
        };
        let mut finished = results_of(2, Order::Finished, work);
        assert_ne!(finished, all);
        finished.sort_unstable();
        assert_eq!(finished, all);
        let nothing = |()| -> ControlFlow<()> { panic!("nothing was done") };
        carry_out([], 3, Order::Given, &never(), |()| (), nothing);
    }

    /// If there are fewer, they wait for ever.
    #[test]
    fn as_many_run_at_once_as_are_wanted_and_no_more() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let together = Barrier::new(3);
        let work = |task| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            together.wait();
            now.fetch_sub(1, Ordering::SeqCst);
            task
        };
        results_of(3, Order::Given, work);
        assert_eq!(most.into_inner(), 3);
    }

    /// Somebody stops everything in the middle of a task.
    #[test]
    fn what_is_begun_is_handed_over_and_nothing_else_is_begun() {
        for jobs in [1, 4] {
            let stop = AtomicBool::new(false);
            let begun = AtomicUsize::new(0);
            let work = |task: usize| {
                begun.fetch_add(1, Ordering::SeqCst);
                stop.fetch_or(task == 9, Ordering::SeqCst);
                slow(task)
            };
            let mut results = Vec::new();
            carry_out(0.., jobs, Order::Given, &stop, work, |task| {
                results.push(task);
                ControlFlow::Continue(())
            });
            let begun = begun.into_inner();
            assert!((10..10 + jobs).contains(&begun), "{begun}");
            assert_eq!(results, (0..begun).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_break_is_the_end() {
        for jobs in [1, 4] {
            let stop = AtomicBool::new(false);
            let mut results = Vec::new();
            carry_out(0.., jobs, Order::Given, &stop, slow, |task| {
                results.push(task);
                match task {
                    20 => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                }
            });
            assert_eq!(results, (0..=20).collect::<Vec<_>>());
            assert!(stop.into_inner());
        }
    }

    /// The first task waits for all that may be begun meanwhile, and a while for others.
    #[test]
    fn a_long_task_keeps_others_waiting_in_the_end() {
        let begun = AtomicUsize::new(0);
        let work = |task: usize| {
            begun.fetch_add(1, Ordering::SeqCst);
            if task == 0 {
                while begun.load(Ordering::SeqCst) < 2 * AHEAD {
                    thread::sleep(Duration::from_millis(1));
                }
                thread::sleep(Duration::from_millis(30));
            }
            begun.load(Ordering::SeqCst)
        };
        let mut results = Vec::new();
        carry_out(0..10_000, 2, Order::Given, &never(), work, |begun| {
            results.push(begun);
            ControlFlow::Continue(())
        });
        assert_eq!((results[0], results.len()), (2 * AHEAD, 10_000));
    }

    #[test]
    #[should_panic = "task 5"]
    fn a_panic_is_passed_on() {
        let work = |task: usize| assert_ne!(task, 5, "task 5");
        let done = |()| ControlFlow::Continue(());
        carry_out(0.., 3, Order::Given, &never(), work, done);
    }
}
