/** What the engines' processes are asked, and what they answer. Sounds are pcm16, 24 kHz. */

export interface SpeechToHear {
  /** At most as long as the model reads at once. */
  pcm16: Uint8Array;
}

export interface HeardSpeech {
  text: string;
}

export interface TextToSpeak {
  /** Empty: nothing is said, and the voice is made ready. */
  text: string;
  voice: string;
  /** 1: as usual. */
  speed: number;
}

/** One phrase of it. */
export interface SpokenPhrase {
  pcm16: Uint8Array;
}
