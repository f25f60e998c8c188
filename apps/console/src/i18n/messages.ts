import type common from './messages/en/common.json';
import type device from './messages/en/device.json';
import type settings from './messages/en/settings.json';

/** The English messages, by area. English has every key. */
interface Catalogue {
  common: typeof common;
  device: typeof device;
  settings: typeof settings;
}

/** A part of the catalogue that loads with the pages that use it. */
export type Area = keyof Catalogue;

/** The name of a message, such as `common.cancel`. */
export type MessageKey = { [A in Area]: `${A}.${keyof Catalogue[A] & string}` }[Area];
