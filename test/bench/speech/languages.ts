import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SPEECH_RATE } from '@chorus/contract';
import type { Providers } from '@chorus/providers';
import { toPcm16 } from '../../../packages/embedded-models/src/speech/pcm16.ts';
import { heading, report } from '../report.ts';
import { readWav } from './read-wav.ts';

const options = { signal: new AbortController().signal, executionId: 'bench' };

/**
 * Counts recordings whose language is doubted.
 *
 * @param folder contains a folder of WAV files for each language, such as `en` and `de`
 */
export async function languages(providers: Providers, folder: string): Promise<void> {
  heading('Recordings that embedded/moonshine doubts to be English: certainly, perhaps, of all');
  for (const language of readdirSync(folder).toSorted()) {
    const counts = { foreign: 0, unclear: 0, all: 0 };
    for (const name of readdirSync(join(folder, language)).filter((file) => file.endsWith('.wav'))) {
      const audio = toPcm16(readWav(join(folder, language, name), SPEECH_RATE));
      const call = { model: 'embedded/moonshine', audio, mediaType: 'audio/pcm' };
      const { doubt } = await providers.transcribe(call, options);
      counts.all += 1;
      if (doubt !== undefined) counts[doubt] += 1;
    }
    report(language, `${counts.foreign}, ${counts.unclear}, ${counts.all}`, language === 'en' ? 'aim 0, 0' : '');
  }
}
