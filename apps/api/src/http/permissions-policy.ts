/** What browsers could let a page use. */
const FEATURES = ['camera', 'display-capture', 'geolocation', 'microphone', 'payment', 'usb'] as const;

/** The header `Permissions-Policy`: this origin's pages may use what is named, and nothing else. */
export function permissionsPolicy(allowed: readonly (typeof FEATURES)[number][]): string {
  return FEATURES.map((feature) => `${feature}=(${allowed.includes(feature) ? 'self' : ''})`).join(', ');
}
