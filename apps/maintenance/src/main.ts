import { runProcess } from '@chorus/worker-kit';
import { startMaintenance } from './start.ts';

await runProcess('maintenance', startMaintenance);
