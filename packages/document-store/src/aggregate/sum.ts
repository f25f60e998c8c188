import { Decimal128, Double, Int32 } from 'bson';
import { add, multiply } from '../values/arithmetic.ts';
import { nearestDouble } from '../values/numbers.ts';
import { divide } from './decimals.ts';
import { integer } from './operator.ts';

/**
 * A sum of numbers of any types: decimal once one is, else double once one is, else long or int. Integers add up exactly, doubles with
 * compensation, so that ten times 0.1 is 1.
 */
export class Sum {
  #integers: unknown = new Int32(0);
  #double = 0;
  #lost = 0;
  #decimal: Decimal128 | undefined;
  #isDouble = false;
  #count = 0;

  /** Adds a number; anything else must not come here. */
  add(value: unknown): void {
    this.#count += 1;
    if (value instanceof Decimal128) {
      this.#decimal = add(this.#decimal ?? new Int32(0), value) as Decimal128;
    } else if (value instanceof Double) {
      this.#isDouble = true;
      this.#addDouble(value.value);
    } else {
      const sum = add(this.#integers, value);
      if (sum !== undefined) {
        this.#integers = sum;
        return;
      }
      // Over 64 bits: what was there goes on as a double.
      this.#isDouble = true;
      this.#addDouble(nearestDouble(this.#integers) as number);
      this.#integers = value;
    }
  }

  get value(): unknown {
    const rest = this.#isDouble ? new Double(this.#asDouble()) : this.#integers;
    return this.#decimal ? add(this.#decimal, rest) : rest;
  }

  /** The mean; null of nothing. */
  get average(): unknown {
    if (this.#count === 0) return null;
    const sum = this.value;
    if (sum instanceof Decimal128) return divide(sum, integer(this.#count));
    return new Double((nearestDouble(sum) as number) / this.#count);
  }

  #addDouble(value: number): void {
    const total = this.#double + value;
    if (Number.isFinite(total)) {
      const large = Math.abs(this.#double) >= Math.abs(value) ? this.#double : value;
      this.#lost += large - total + (large === value ? this.#double : value);
    }
    this.#double = total;
  }

  #asDouble(): number {
    const integers = nearestDouble(this.#integers) as number;
    return integers === 0 ? this.#double + this.#lost : this.#double + integers + this.#lost;
  }
}

/** The product, which becomes a double where it does not fit in 64 bits. */
export function product(left: unknown, right: unknown): unknown {
  return multiply(left, right) ?? new Double((nearestDouble(left) as number) * (nearestDouble(right) as number));
}
