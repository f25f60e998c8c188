import { withProviders } from '@chorus/providers';
import { runProcess } from '@chorus/worker-kit';
import { startKnowledge } from './start.ts';

await runProcess('worker-knowledge', withProviders(startKnowledge));
