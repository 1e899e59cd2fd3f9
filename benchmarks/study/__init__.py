"""One way to run an experiment: cells, a store that keeps them, engines, studies and claims.

==========  ========================================================================
module      what it holds
==========  ========================================================================
cell        the unit of work: a function by reference, JSON parameters, needs
closure     which source files a cell's result depends on
store       the one place where finished cells are kept and found again
guard       a child process that runs cells, watched and killed in time
worker      the child's side of the guard
engine      where cells run: in this process, in local processes, on a cluster
cluster     the engine for a Dask scheduler
compute     cells through store and engine, with progress
instances   how a cell names its instance
compilation kernels are compiled before any time limit starts
run         the run cell: one policy on one instance
offline     the offline cell: bound and schedule of one instance
join        both together, pure: interval, ratio, guarantee
grid        points of a study
scheme      a policy with its parameters; readings of what a paper leaves open
study       grid x readings x schemes x seeds, to one tidy frame
frames      parts and numbers of a frame that tests and pictures look at
picture     data that names a study, and how its frame is drawn
claim       data that names a study, and a test of its frame
tests       the tests by which claims are judged
==========  ========================================================================
"""
