import { serveEngine } from './embedded/engine/serve-engine.ts';
import { FLITE_RATE, loadFlite } from './embedded/speech/flite.ts';
import { phrasesOf } from './embedded/speech/phrases.ts';
import { resample } from './embedded/speech/resample.ts';
import { shapePhrase } from './embedded/speech/shape-phrase.ts';
import type { SpokenPhrase, TextToSpeak } from './embedded/speech/speech-requests.ts';
import { spokenText } from './embedded/speech/spoken-text.ts';
import { SPEECH_RATE } from './speech-port.ts';

// The process that holds Flite.

await serveEngine<TextToSpeak, SpokenPhrase>(async () => {
  const flite = await loadFlite();
  return async function* ({ text, voice, speed }, stopped) {
    for (const phrase of phrasesOf(spokenText(text))) {
      if (stopped()) return;
      const samples = await flite.speak(phrase, voice, speed);
      for await (const pcm16 of shapePhrase([resample(samples, FLITE_RATE, SPEECH_RATE)], phrase)) yield { pcm16 };
    }
  };
});
