import { SPEECH_RATE } from '@chorus/contract/names';
import { serveEngine } from '../engine/serve-engine.ts';
import { useFetchedWeights } from '../weights/package-file.ts';
import type { SpeechToTranscribe, TranscribedSpeech } from './embedded-speech.ts';
import { hearSpeech } from './hear-speech.ts';
import { loadMoonshine, MOONSHINE_RATE, type MoonshineSize } from './moonshine.ts';
import { toFloats } from './pcm16.ts';
import { resample } from './resample.ts';

// The process that runs a Moonshine model. The arguments are its size and the folder of fetched weights.

const [size = 'base', folder] = process.argv.slice(2);
useFetchedWeights(folder ?? null);
await serveEngine<SpeechToTranscribe, TranscribedSpeech>(async () => {
  const moonshine = await loadMoonshine(size as MoonshineSize);
  return async function* ({ pcm16 }) {
    yield await hearSpeech(moonshine, resample(toFloats(pcm16), SPEECH_RATE, MOONSHINE_RATE));
  };
});
