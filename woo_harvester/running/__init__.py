"""Running a spider from a command: the process, its streams and log, and errors that stop a run.

Every command of the project derives from ``command.ProjectCommand``. Those that run a spider use
``process.HarvestProcess``. Components call ``ending.end_run`` to end a run that cannot continue.
"""
