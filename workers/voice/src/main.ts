import { withProviders } from '@chorus/providers';
import { runProcess } from '@chorus/worker-kit';
import { startVoice } from './start.ts';

await runProcess('worker-voice', withProviders(startVoice));
