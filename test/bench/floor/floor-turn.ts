/** A turn as the queue carries it. */
export interface FloorTurn {
  id: string;
  /** The channel of the API process that streams it. */
  channel: string;
  body: object;
}

/** Its record in the store. */
export interface FloorRecord {
  _id: string;
  status: 'queued' | 'succeeded';
  text: string;
  at: Date;
}

/** Separates the id of a turn, and what it shows, in published messages. */
export const AFTER_ID = ' ';
export const END = 'end';
