import { noOpJobs } from '/work/main/test/bench/no-op-jobs.ts';

await noOpJobs();
process.exit(0);
