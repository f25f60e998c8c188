import { loadKokoro } from './embedded/speech/kokoro.ts';
import { voiceLanguage } from './embedded/speech/kokoro-voices.ts';
import { loadPhonemes } from './embedded/speech/phonemes.ts';
import { phrasesOf } from './embedded/speech/phrases.ts';
import { serveEngine } from './embedded/speech/serve-engine.ts';
import { shapePhrase } from './embedded/speech/shape-phrase.ts';
import type { SpokenPhrase, TextToSpeak } from './embedded/speech/speech-requests.ts';
import { spokenText } from './embedded/speech/spoken-text.ts';

// The process that holds Kokoro.

await serveEngine<TextToSpeak, SpokenPhrase>(async () => {
  const toPhonemes = loadPhonemes();
  const kokoro = await loadKokoro();
  return async function* ({ text, voice, speed }, stopped) {
    for (const phrase of phrasesOf(spokenText(text))) {
      if (stopped()) return;
      const samples = await kokoro.speak(toPhonemes(phrase, voiceLanguage(voice)), voice, speed);
      if (samples.length > 0) yield { pcm16: shapePhrase(samples, phrase) };
    }
  };
});
