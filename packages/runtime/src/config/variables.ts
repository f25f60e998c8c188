import { isIP } from 'node:net';
import { z } from 'zod';
import { isSentinelUrl, parseSentinelUrl, SENTINEL_URL_FORM } from '../addresses/index.ts';

const wholeNumber = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d+$/, { error })
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error });
};

export const number = (min: number, max: number, fallback: number) => wholeNumber(min, max).default(fallback);

export const optionalNumber = (min: number, max: number) => wholeNumber(min, max).nullable().default(null);

export const text = (fallback: string) => z.string().trim().min(1).default(fallback);

const trueOrFalse = z
  .enum(['true', 'false', '1', '0'], { error: 'must be true or false' })
  .transform((value) => value === 'true' || value === '1');

export const flag = (fallback: boolean) => trueOrFalse.default(fallback);

export const optionalFlag = trueOrFalse.nullable().default(null);

export const list = z
  .string()
  .default('')
  .transform((value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );

const SECRET_KEY_CHARACTERS = 32;

/** Keys separated by commas, the sealing one first. Absent means null. */
export const secretKeys = z
  .string()
  .transform((value) => value.split(',').map((key) => key.trim()))
  .refine((keys) => keys.every((key) => key.length >= SECRET_KEY_CHARACTERS), {
    error: `must have at least ${SECRET_KEY_CHARACTERS} characters, as from: openssl rand -base64 32`,
  })
  .nullable()
  .default(null);

/** Signing secrets as in Standard Webhooks, separated by commas, the newest first. Absent means none. */
export const webhookSecrets = list.refine(
  (secrets) => secrets.every((one) => /^whsec_[A-Za-z0-9+/]{32,88}=*$/.test(one)),
  {
    error: 'must be whsec_ and 24 to 64 bytes in base64, as from: echo "whsec_$(openssl rand -base64 32)"',
  },
);

/** Origins as browsers send them: lowercase, without a path. `*` is any. */
export const origins = list
  .transform((given) => given.map((origin) => origin.toLowerCase().replace(/\/$/, '')))
  .refine((all) => all.every((origin) => /^(\*|[a-z][a-z\d+.-]*:\/\/[^\s/?#*@]+)$/.test(origin)), {
    error: 'must be origins such as https://app.example.org, by commas, or *',
  });

export const webUrl = z
  .string()
  .trim()
  .refine((value) => /^https?:\/\/[^/]/.test(value) && URL.canParse(value), {
    error: 'must be a URL that begins with http:// or https://',
  })
  .transform((value) => value.replace(/\/+$/, ''))
  .nullable()
  .default(null);

/** The address of this server, to which paths are added. */
export const publicUrl = webUrl.refine((value) => value === null || isPlain(new URL(value)), {
  error: 'must have no query, fragment, or login',
});

function isPlain({ search, hash, username, password, href }: URL): boolean {
  return search + hash + username + password === '' && !/[?#]$/.test(href);
}

export const redisUrl = z
  .string({ error: 'is required: redis://host:port, rediss://…, redis+sentinel://… or unix:///path/to/redis.sock' })
  .trim()
  .regex(/^(rediss?(\+sentinel)?|unix):\/\//, {
    error: 'must begin with redis://, rediss://, redis+sentinel://, rediss+sentinel:// or unix://',
  })
  .refine((value) => !isSentinelUrl(value) || parseSentinelUrl(value) !== null, {
    error: `must have the form ${SENTINEL_URL_FORM}`,
  });

export const trustProxy = z
  .string()
  .default('false')
  .transform((value): boolean | number | string => {
    if (value === 'true' || value === 'false') return value === 'true';
    return /^\d+$/.test(value) ? Number(value) : value;
  });

/** Allows bare host names, as in `admin@localhost`. */
export const emailAddress = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[^@\s]+@[^@\s]+$/, { error: 'must be an email address' })
  .nullable()
  .default(null);

export interface AddressRange {
  address: string;
  prefix: number;
  family: 'ipv4' | 'ipv6';
}

const EVERY_ADDRESS: AddressRange[] = [
  { address: '0.0.0.0', prefix: 0, family: 'ipv4' },
  { address: '::', prefix: 0, family: 'ipv6' },
];

export const addressRanges = list.transform((items, context): AddressRange[] => {
  if (items.length === 1 && items[0] === 'true') return EVERY_ADDRESS;
  const ranges = items.map(addressRange);
  if (ranges.every((range) => range !== null)) return ranges;
  context.addIssue({ code: 'custom', message: 'must be true, or addresses and ranges such as 10.0.0.0/8, ::1' });
  return z.NEVER;
});

function addressRange(text: string): AddressRange | null {
  const [, address = '', bits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  const longest = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? longest : Number(bits);
  return version === 0 || prefix > longest ? null : { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
}
