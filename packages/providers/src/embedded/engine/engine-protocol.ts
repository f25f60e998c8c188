/** What an engine's process is asked: one thing at a time. */
export type ToEngine<Request> =
  | { type: 'run'; id: number; request: Request }
  /** Nobody wants the rest of it; what is being computed may end. */
  | { type: 'stop'; id: number };

/** What it says: once that it is ready, then the parts of each answer and its end. */
export type FromEngine<Part> =
  | { type: 'ready' }
  /** It can't be loaded: the process ends. */
  | { type: 'unusable'; reason: string }
  | { type: 'part'; id: number; part: Part }
  | { type: 'done'; id: number };
