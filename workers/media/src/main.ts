import { withProviders } from '@chorus/providers';
import { runProcess } from '@chorus/worker-kit';
import { startMedia } from './start.ts';

await runProcess('worker-media', withProviders(startMedia));
