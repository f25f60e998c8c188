import { Decimal128, Double, Int32 } from 'bson';
import { add, asDecimal, decimal128 } from './arithmetic.ts';
import { nearestDouble } from './numbers.ts';

/**
 * A sum of numbers of any types: decimal once one is, else double once one is, else long or int. Integers add up exactly, doubles with
 * compensation, so that ten times 0.1 is 1.
 */
export class Sum {
  #integers: unknown = new Int32(0);
  #double = 0;
  #lost = 0;
  #decimal: unknown;
  #isDouble = false;
  #count = 0;

  /** Adds a number; anything else must not come here. */
  add(value: unknown): void {
    this.#count += 1;
    if (value instanceof Decimal128) {
      this.#decimal = this.#decimal ? add(this.#decimal, value) : value;
    } else if (value instanceof Double) {
      this.#addDouble(value.value);
    } else {
      const sum = add(this.#integers, value);
      // Over 64 bits: what was there goes on as a double.
      if (sum === undefined) this.#addDouble(nearestDouble(this.#integers) as number);
      this.#integers = sum ?? value;
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
    if (sum instanceof Decimal128) return decimal128(asDecimal(sum).div(this.#count));
    return new Double((nearestDouble(sum) as number) / this.#count);
  }

  #addDouble(value: number): void {
    this.#isDouble = true;
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
