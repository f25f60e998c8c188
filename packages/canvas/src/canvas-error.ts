/** `invalid_request`: this cannot be drawn as requested. `render_failed`: anything else went wrong. */
export class CanvasError extends Error {
  override readonly name = 'CanvasError';
  readonly code: 'invalid_request' | 'render_failed';

  constructor(code: CanvasError['code'], message: string) {
    super(message);
    this.code = code;
  }
}
