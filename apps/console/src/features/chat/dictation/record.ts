/** Longer dictations end automatically. */
const MAX_MS = 600_000;

/** Enough for speech. */
const BITS_PER_SECOND = 32_000;

export interface Recording {
  /** The audio, once it has ended. Null if it was canceled. */
  sound: Promise<Blob | null>;
  finish: () => void;
  cancel: () => void;
}

/**
 * Records the microphone.
 *
 * @throws {DOMException} NotAllowedError, NotFoundError, or NotReadableError; SecurityError if the page is not served
 * securely
 */
export async function record(): Promise<Recording> {
  if (navigator.mediaDevices === undefined)
    throw new DOMException('The microphone is not available on this address.', 'SecurityError');
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const recorder = new MediaRecorder(stream, { audioBitsPerSecond: BITS_PER_SECOND });
  const chunks: Blob[] = [];
  let isCanceled = false;
  const { promise, resolve } = Promise.withResolvers<Blob | null>();
  const finish = () => {
    if (recorder.state !== 'inactive') recorder.stop();
  };
  const timer = setTimeout(finish, MAX_MS);
  recorder.ondataavailable = ({ data }) => chunks.push(data);
  // Also called when the microphone is unplugged.
  recorder.onstop = () => {
    clearTimeout(timer);
    for (const track of stream.getTracks()) track.stop();
    resolve(isCanceled ? null : new Blob(chunks, { type: recorder.mimeType }));
  };
  recorder.start();
  const cancel = () => {
    isCanceled = true;
    finish();
  };
  return { sound: promise, finish, cancel };
}
