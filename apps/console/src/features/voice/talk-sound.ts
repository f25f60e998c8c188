import captureUrl from './capture-processor.ts?worker&url';
import type { PlaybackOrder, PlaybackReport } from './playback-processor.ts';
import playbackUrl from './playback-processor.ts?worker&url';
import { fromPcm16, RATE } from './sound-format.ts';

interface SoundListener {
  /** What the microphone hears, 40 ms at a time. */
  onHeard: (pcm: Int16Array, level: number) => void;
  /** What is played now. */
  onPlayed: (report: PlaybackReport) => void;
  /** The microphone is gone. */
  onUnplugged: () => void;
}

/** The microphone and the loudspeaker of a talk. */
export class TalkSound {
  readonly #context: AudioContext;
  readonly #stream: MediaStream;
  readonly #playback: AudioWorkletNode;
  #report: PlaybackReport = { item: null, played: 0, level: 0 };

  private constructor(context: AudioContext, stream: MediaStream, playback: AudioWorkletNode) {
    this.#context = context;
    this.#stream = stream;
    this.#playback = playback;
  }

  /** Asks for the microphone. @throws {DOMException} NotAllowedError, NotFoundError, NotReadableError; SecurityError: the page came by an address that is not trusted */
  static async open(listener: SoundListener): Promise<TalkSound> {
    if (navigator.mediaDevices === undefined)
      throw new DOMException('No microphone for this address.', 'SecurityError');
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true },
    });
    const context = new AudioContext({ sampleRate: RATE });
    try {
      return await TalkSound.#over(context, stream, listener);
    } catch (error) {
      // Nothing listens that nobody can end.
      for (const track of stream.getTracks()) track.stop();
      void context.close();
      throw error;
    }
  }

  static async #over(
    context: AudioContext,
    stream: MediaStream,
    { onHeard, onPlayed, onUnplugged }: SoundListener,
  ): Promise<TalkSound> {
    await context.resume();
    // Phones take the sound away for a call, or while the page is not looked at.
    context.onstatechange = () => {
      if (context.state !== 'running' && context.state !== 'closed') void context.resume().catch(() => undefined);
    };
    await Promise.all([captureUrl, playbackUrl].map((url) => context.audioWorklet.addModule(url)));
    const capture = new AudioWorkletNode(context, 'capture', { numberOfOutputs: 0 });
    capture.port.onmessage = ({ data }: MessageEvent<{ pcm: Int16Array; level: number }>) =>
      onHeard(data.pcm, data.level);
    context.createMediaStreamSource(stream).connect(capture);
    const playback = new AudioWorkletNode(context, 'playback', { numberOfInputs: 0, outputChannelCount: [2] });
    playback.connect(context.destination);
    const sound = new TalkSound(context, stream, playback);
    playback.port.onmessage = ({ data }: MessageEvent<PlaybackReport>) => {
      sound.#report = data;
      onPlayed(data);
    };
    for (const track of stream.getAudioTracks()) track.onended = onUnplugged;
    return sound;
  }

  play(item: string, pcm: Int16Array): void {
    const samples = fromPcm16(pcm);
    const order: PlaybackOrder = { type: 'push', item, samples };
    this.#playback.port.postMessage(order, [samples.buffer]);
  }

  /** Ends what is played. @returns of which item how much was heard, in milliseconds; null: nothing was being played */
  cut(): { item: string; heardMs: number } | null {
    const { item, played } = this.#report;
    const order: PlaybackOrder = { type: 'clear' };
    this.#playback.port.postMessage(order);
    this.#report = { item: null, played: 0, level: 0 };
    return item === null ? null : { item, heardMs: Math.floor((1_000 * played) / RATE) };
  }

  set isMuted(muted: boolean) {
    for (const track of this.#stream.getAudioTracks()) track.enabled = !muted;
  }

  close(): void {
    for (const track of this.#stream.getTracks()) track.stop();
    void this.#context.close();
  }
}
