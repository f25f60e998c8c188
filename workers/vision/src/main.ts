import { withProviders } from '@chorus/providers';
import { runProcess } from '@chorus/worker-kit';
import { startVision } from './start.ts';

await runProcess('worker-vision', withProviders(startVision));
