/** Why a file was rejected. The message is for users. */
export type MediaProblem = 'damaged' | 'too_many_pixels' | 'too_slow';

export class MediaError extends Error {
  readonly problem: MediaProblem;

  constructor(problem: MediaProblem, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'MediaError';
    this.problem = problem;
  }
}
