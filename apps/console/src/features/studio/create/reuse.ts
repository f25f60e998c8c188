/** First values of the form for images. */
export interface Reuse {
  prompt: string;
  /** An image to start from. Null: none. */
  reference: string | null;
  count: number;
}

/** Returns the address of the form for images, filled in. */
export function createPath({ prompt, reference, count }: Partial<Reuse>): string {
  const query = new URLSearchParams({
    ...(prompt && { prompt }),
    ...(reference && { reference }),
    ...(count !== undefined && { count: `${count}` }),
  });
  return `/studio/images?${query}`;
}

export function reuseOf(search: string): Reuse {
  const query = new URLSearchParams(search);
  const count = Number(query.get('count'));
  return {
    prompt: query.get('prompt') ?? '',
    reference: query.get('reference'),
    count: Number.isInteger(count) && count >= 1 && count <= 10 ? count : 1,
  };
}
