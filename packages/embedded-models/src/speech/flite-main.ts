import { SPEECH_RATE } from '@chorus/contract/names';
import { serveEngine } from '../engine/serve-engine.ts';
import type { SpokenPhrase, TextToSpeak } from './embedded-speech.ts';
import { FLITE_RATE, loadFlite } from './flite.ts';
import { phrasesOf } from './phrases.ts';
import { resample } from './resample.ts';
import { shapePhrase } from './shape-phrase.ts';
import { spokenText } from './spoken/spoken-text.ts';

// The process that runs Flite.

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
