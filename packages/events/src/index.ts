import { a } from '@chorus/contract';
export const b: number = a;
