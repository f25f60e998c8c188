const ALIASES: Record<string, string> = {
  utc: 'UTC',
  gmt: 'UTC',
  est: 'America/New_York',
  edt: 'America/New_York',
  pst: 'America/Los_Angeles',
  pdt: 'America/Los_Angeles',
  cet: 'Europe/Berlin',
  cest: 'Europe/Berlin',
  ist: 'Asia/Kolkata',
  jst: 'Asia/Tokyo',
  japan: 'Asia/Tokyo',
  india: 'Asia/Kolkata',
  mumbai: 'Asia/Kolkata',
  delhi: 'Asia/Kolkata',
  beijing: 'Asia/Shanghai',
  china: 'Asia/Shanghai',
  germany: 'Europe/Berlin',
  munich: 'Europe/Berlin',
  france: 'Europe/Paris',
  uk: 'Europe/London',
  england: 'Europe/London',
  spain: 'Europe/Madrid',
  italy: 'Europe/Rome',
  'san francisco': 'America/Los_Angeles',
  seattle: 'America/Los_Angeles',
  california: 'America/Los_Angeles',
  boston: 'America/New_York',
  washington: 'America/New_York',
  nyc: 'America/New_York',
};

let zones: Map<string, string> | undefined;

/** Returns the IANA time zone of a zone name, a city or a common alias. Null if unknown. */
export function findZone(place: string): string | null {
  const name = place.toLowerCase().trim().replace(/\s+/g, ' ');
  const alias = Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined;
  if (alias !== undefined) return alias;
  zones ??= new Map(
    Intl.supportedValuesOf('timeZone').flatMap((zone): [string, string][] => {
      const lower = zone.toLowerCase();
      return [
        [lower, zone],
        [lower.slice(lower.lastIndexOf('/') + 1).replaceAll('_', ' '), zone],
      ];
    }),
  );
  const known = zones.get(name) ?? zones.get(name.replaceAll(' ', '_'));
  if (known !== undefined) return known;
  // Also accepts older zone names that the list lacks, and offsets such as +05:30.
  if (!/^(?:[a-z]+\/[a-z_/+-]+\d*|[+-]\d{2}:\d{2})$/.test(name)) return null;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** Formats as `14:05:09 on Friday, 20 November 2026` in the zone. */
export function tellTime(now: Date, zone: string): string {
  const time = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeStyle: 'medium' }).format(now);
  return `${time} on ${tellDate(now, zone)}`;
}

/** Formats as `Friday, 20 November 2026` in the zone. */
export function tellDate(now: Date, zone: string): string {
  const part = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options }).format(now);
  return `${part({ weekday: 'long' })}, ${part({ day: 'numeric', month: 'long', year: 'numeric' })}`;
}
