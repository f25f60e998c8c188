import { fromPcm16, SAMPLE_RATE } from '../../audio/pcm.ts';
import captureUrl from './capture-processor.ts?worker&url';
import type { PlaybackCommand, PlaybackReport } from './playback-processor.ts';
import playbackUrl from './playback-processor.ts?worker&url';

interface AudioListeners {
  /** Called with 40 ms of microphone audio. */
  onInput: (pcm: Int16Array, level: number) => void;
  onPlayback: (report: PlaybackReport) => void;
  onUnplugged: () => void;
}

export class CallAudio {
  readonly #context: AudioContext;
  readonly #stream: MediaStream;
  readonly #playback: AudioWorkletNode;
  #report: PlaybackReport = { item: null, played: 0, level: 0 };

  private constructor(context: AudioContext, stream: MediaStream, playback: AudioWorkletNode) {
    this.#context = context;
    this.#stream = stream;
    this.#playback = playback;
  }

  /**
   * Asks for access to the microphone.
   *
   * @throws {DOMException} NotAllowedError, NotFoundError, or NotReadableError; SecurityError if the page is
   * not served securely
   */
  static async open(listener: AudioListeners): Promise<CallAudio> {
    if (navigator.mediaDevices === undefined)
      throw new DOMException('The microphone is not available on this address.', 'SecurityError');
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true },
    });
    const context = new AudioContext({ sampleRate: SAMPLE_RATE });
    try {
      return await CallAudio.#connect(context, stream, listener);
    } catch (error) {
      // Never leaves a microphone open that nothing can close.
      for (const track of stream.getTracks()) track.stop();
      void context.close();
      throw error;
    }
  }

  static async #connect(
    context: AudioContext,
    stream: MediaStream,
    { onInput, onPlayback, onUnplugged }: AudioListeners,
  ): Promise<CallAudio> {
    await context.resume();
    // Phones suspend audio for phone calls and while the page is hidden.
    context.onstatechange = () => {
      if (context.state !== 'running' && context.state !== 'closed') void context.resume().catch(() => undefined);
    };
    await Promise.all([captureUrl, playbackUrl].map((url) => context.audioWorklet.addModule(url)));
    const capture = new AudioWorkletNode(context, 'capture', { numberOfOutputs: 0 });
    capture.port.onmessage = ({ data }: MessageEvent<{ pcm: Int16Array; level: number }>) =>
      onInput(data.pcm, data.level);
    context.createMediaStreamSource(stream).connect(capture);
    const playback = new AudioWorkletNode(context, 'playback', { numberOfInputs: 0, outputChannelCount: [2] });
    playback.connect(context.destination);
    const audio = new CallAudio(context, stream, playback);
    playback.port.onmessage = ({ data }: MessageEvent<PlaybackReport>) => {
      audio.#report = data;
      onPlayback(data);
    };
    for (const track of stream.getAudioTracks()) track.onended = onUnplugged;
    return audio;
  }

  play(item: string, pcm: Int16Array): void {
    const samples = fromPcm16(pcm);
    const command: PlaybackCommand = { type: 'push', item, samples };
    this.#playback.port.postMessage(command, [samples.buffer]);
  }

  /**
   * Stops playback.
   *
   * @returns the item that was playing and how much of it was heard; null if nothing was playing
   */
  stopPlayback(): { item: string; heardMs: number } | null {
    const { item, played } = this.#report;
    const command: PlaybackCommand = { type: 'clear' };
    this.#playback.port.postMessage(command);
    this.#report = { item: null, played: 0, level: 0 };
    return item === null ? null : { item, heardMs: Math.floor((1_000 * played) / SAMPLE_RATE) };
  }

  set isMuted(muted: boolean) {
    for (const track of this.#stream.getAudioTracks()) track.enabled = !muted;
  }

  close(): void {
    for (const track of this.#stream.getTracks()) track.stop();
    void this.#context.close();
  }
}
