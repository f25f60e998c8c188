import { withProviders } from '@chorus/providers';
import { runProcess } from '@chorus/worker-kit';
import { startText } from './start.ts';

await runProcess('worker-text', withProviders(startText));
