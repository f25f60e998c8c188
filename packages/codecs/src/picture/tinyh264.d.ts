// Types for the parts of `tinyh264` that are used, since it has none.
declare module 'tinyh264/es/TinyH264.js' {
  export default function open(): Promise<object>;
}

declare module 'tinyh264/es/TinyH264Decoder.js' {
  export default class TinyH264Decoder {
    constructor(module: object, onPicture: (planes: Uint8Array, width: number, height: number) => void);
    decode(unit: Uint8Array): void;
    release(): void;
  }
}
