import { serveEngine } from './embedded/engine/serve-engine.ts';
import { loadMoonshine, MOONSHINE_RATE, type MoonshineSize } from './embedded/speech/moonshine.ts';
import { toFloats } from './embedded/speech/pcm16.ts';
import { resample } from './embedded/speech/resample.ts';
import type { HeardSpeech, SpeechToHear } from './embedded/speech/speech-requests.ts';
import { SPEECH_RATE } from './speech-port.ts';

// The process that holds a Moonshine model: its size is the program's argument.

const [size = 'base'] = process.argv.slice(2);
await serveEngine<SpeechToHear, HeardSpeech>(async () => {
  const transcribe = await loadMoonshine(size as MoonshineSize);
  return async function* ({ pcm16 }) {
    yield { text: await transcribe(resample(toFloats(pcm16), SPEECH_RATE, MOONSHINE_RATE)) };
  };
});
