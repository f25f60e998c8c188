export interface ReceiptLine {
  left: string;
  /** Aligned with the right edge, such as an amount. */
  right?: string;
  centered?: boolean;
  /** Relative to the usual size. */
  size?: number;
  bold?: boolean;
  picture?: 'barcode' | 'logo';
}

const SHOPS = ['GREEN VALLEY MARKET', 'Corner Hardware', 'PANORAMA BISTRO SDN BHD', 'Lucky Star Pharmacy', 'BOOK NOOK'];
const STREETS = [
  '12 Harbour Street',
  'NO. 53 JALAN SETIA 3',
  '4801 Lincoln Ave',
  'Lot 7, Level 2, City Mall',
  '9 Rue Cler',
];
const TOWNS = ['Portland OR 97201', '81100 JOHOR BAHRU', 'Leeds LS1 4DY', 'Springfield IL 62704', 'Singapore 238859'];
const GOODS = [
  'Whole Milk 1L',
  'BREAD SLICED',
  'Bananas kg',
  'A4 PAPER 80G',
  'Ceiling Hook 40MM',
  'KF CHICKEN RICE',
  'Iced Lemon Tea',
  'Batteries AA 4PK',
  'TOOTHPASTE MINT',
  'Hex Screw M6x20',
  'LATTE LARGE',
  'Nasi Goreng Special',
  'Paint Brush 2in',
  'WRITING PAD',
  'Olive Oil 500ml',
  'Free Range Eggs 12',
  'SHAMPOO 250ML',
  'Duct Tape Silver',
  'Cheddar Mature',
  'VIT C 1000MG',
  'Espresso',
  'GARLIC BREAD',
  'LED Bulb 9W',
  'Notebook Ruled',
]; // prettier-ignore
const ENDS = [
  'THANK YOU FOR SHOPPING WITH US',
  'Goods sold are not returnable',
  'Please come again',
  'EXCHANGE WITHIN 7 DAYS WITH RECEIPT',
];

/** Writes a receipt of `items` goods from a generator of numbers from 0 to 1. */
export function receiptLines(random: () => number, items: number): ReceiptLine[] {
  const one = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  const number = (digits: number) => String(Math.floor(random() * 10 ** digits)).padStart(digits, '0');
  const capitals = random() < 0.5;
  const sign = one(['', '', '$', 'RM ', '£']);
  const money = (amount: number) => `${sign}${amount.toFixed(2)}`;
  const rule = { left: one(['-', '=', '*', '_']).repeat(200) };
  const lines: ReceiptLine[] = [];
  if (random() < 0.4) lines.push({ left: '', picture: 'logo' });
  const head = { centered: random() < 0.8 };
  lines.push({ left: one(SHOPS), size: one([1, 1.5, 2]), bold: true, ...head });
  lines.push({ left: one(STREETS), ...head }, { left: one(TOWNS), ...head });
  lines.push({ left: `Tel: ${number(3)}-${number(3)} ${number(4)}`, ...head });
  if (random() < 0.6) lines.push({ left: `GST Reg No : ${number(12)}`, ...head });
  lines.push(rule, {
    left: `${one(['Invoice No', 'Receipt', 'Bill No', 'DOC NO.'])}: ${one(['CS', 'R', 'INV-', ''])}${number(7)}`,
  });
  const date = `${1 + Math.floor(random() * 28)}/0${1 + Math.floor(random() * 9)}/2018`;
  lines.push({ left: `Date: ${date}`, right: `${10 + Math.floor(random() * 12)}:${10 + Math.floor(random() * 49)}` });
  lines.push({ left: `Cashier: ${one(['ANNA', 'Kumar', 'MEI LING', 'Jose', 'Till 04'])}` }, rule);
  const columns = random() < 0.5;
  if (columns) lines.push({ left: 'Qty Description', right: 'Amount' });
  let total = 0;
  for (let item = 0; item < items; item += 1) {
    const count = 1 + Math.floor(random() * 3);
    const price = Math.round(random() * 3_000) / 100 + 0.5;
    total += count * price;
    if (columns) lines.push({ left: `${count}   ${one(GOODS)}`, right: (count * price).toFixed(2) });
    else {
      lines.push({ left: one(GOODS), right: money(count * price) });
      if (count > 1) lines.push({ left: `   ${count} x ${price.toFixed(2)}` });
    }
  }
  const tax = total * 0.06;
  lines.push(rule, { left: 'Subtotal', right: money(total) }, { left: 'Tax 6%', right: money(tax) });
  lines.push({
    left: one(['TOTAL', 'Total Due', 'NET TOTAL']),
    right: money(total + tax),
    size: one([1, 1.4, 1.4]),
    bold: true,
  });
  const cash = Math.ceil((total + tax) / 10) * 10;
  if (random() < 0.5)
    lines.push({ left: 'CASH', right: money(cash) }, { left: 'Change', right: money(cash - total - tax) });
  else
    lines.push({ left: `VISA ************${number(4)}`, right: money(total + tax) }, { left: `Approval ${number(6)}` });
  lines.push(rule, { left: one(ENDS), ...head }, { left: one(ENDS), ...head });
  if (random() < 0.5) lines.push({ left: '', picture: 'barcode' }, { left: number(12), centered: true });
  return lines.map((line) => (capitals ? { ...line, left: line.left.toUpperCase() } : line));
}
