/** Sentences that are spelled and spoken differently, and how they are spoken. */
export const HARD_SENTENCES: readonly [written: string, said: string][] = [
  [
    'The temperature dropped to -5°C, which is 23°F.',
    'the temperature dropped to minus five degrees celsius which is twenty three degrees fahrenheit',
  ],
  [
    'The invoice totals $1,234.56, including 19% VAT.',
    'the invoice totals one thousand two hundred thirty four dollars and fifty six cents including nineteen percent v a t',
  ],
  ['Add 1/2 cup of sugar and 3/4 cup of milk.', 'add one half cup of sugar and three quarters cup of milk'],
  [
    'The train leaves at 3:45 p.m. and arrives at 18:05.',
    'the train leaves at three forty five p m and arrives at eighteen oh five',
  ],
  ['The meeting is on 2026-11-23 at 9 a.m.', 'the meeting is on november twenty third twenty twenty six at nine a m'],
  ['Write to support@example.org by Friday.', 'write to support at example dot org by friday'],
  ['She finished 1st, he came 22nd, and I was 3rd.', 'she finished first he came twenty second and i was third'],
  [
    'King Henry VIII had six wives; World War II ended in 1945.',
    'king henry the eighth had six wives world war two ended in nineteen forty five',
  ],
  [
    'Read pages 10–15, chapters 3-5, and the years 1939-1945.',
    'read pages ten to fifteen chapters three to five and the years nineteen thirty nine to nineteen forty five',
  ],
  [
    'NASA and the FBI use GPUs, while NATO has its own API.',
    "nasa and the f b i use g p u's while nato has its own a p i",
  ],
  [
    'The car does 0-60 mph in 3.2 s and weighs 1,500 kg.',
    'the car does zero to sixty miles per hour in three point two seconds and weighs one thousand five hundred kilograms',
  ],
  [
    'The fund lost 3.5% in 2025, i.e. about €2.5M.',
    'the fund lost three point five percent in twenty twenty five that is about two point five million euros',
  ],
  [
    'Use e.g. 500 GB at 100 Mbps, not 2 TB.',
    'use for example five hundred gigabytes at one hundred megabits per second not two terabytes',
  ],
  ['If x = 3, then x^2 + 2 × 4 = 17.', 'if x equals three then x squared plus two times four equals seventeen'],
  [
    'It costs £9.99/month or £99 per year.',
    'it costs nine pounds and ninety nine pence per month or ninety nine pounds per year',
  ],
  [
    'Louis XIV ruled in the 17th century; see Chapter IV.',
    'louis the fourteenth ruled in the seventeenth century see chapter four',
  ],
  ['A 5-10% discount applies to 24/7 support.', 'a five to ten percent discount applies to twenty four seven support'],
  [
    'Mix 250 ml of water with 1 l of milk & 2 oz of rum.',
    'mix two hundred fifty milliliters of water with one liter of milk and two ounces of rum',
  ],
  [
    'The patient weighs 72.5 kg and is 1.83 m tall.',
    'the patient weighs seventy two point five kilograms and is one point eight three meters tall',
  ],
  [
    'Sales rose 12.5% to $3.4 billion in 2024.',
    'sales rose twelve point five percent to three point four billion dollars in twenty twenty four',
  ],
  ['Turn left on 42nd St. and walk 500 m.', 'turn left on forty second street and walk five hundred meters'],
  [
    'The concert starts at 7:30 p.m. on Sat., Dec. 14.',
    'the concert starts at seven thirty p m on saturday december fourteenth',
  ],
  ['The score was 3-2 after 90 min.', 'the score was three to two after ninety minutes'],
  ['A 3/8 inch bolt costs $0.25.', 'a three eighths inch bolt costs twenty five cents'],
  ['Pope John Paul II visited in 1987.', 'pope john paul the second visited in nineteen eighty seven'],
  ['The EU met with the CEO of IBM.', 'the e u met with the c e o of i b m'],
  [
    'Python 3.12 is about 5% faster than v3.11.4.',
    'python three point one two is about five percent faster than version three point eleven point four',
  ],
  ['She was born on 07/04/1995 at 6:05 a.m.', 'she was born on july fourth nineteen ninety five at six oh five a m'],
  [
    'The file is 2.4 GB; the download takes approx. 10 min.',
    'the file is two point four gigabytes the download takes approximately ten minutes',
  ],
  ['He owes me £45.50, plus €10.', 'he owes me forty five pounds and fifty pence plus ten euros'],
  ['Prof. Jones arrived at 10:15, not 9:45.', 'professor jones arrived at ten fifteen not nine forty five'],
  ['Dr. Smith lives at 12 Baker St. in St. Louis.', 'doctor smith lives at twelve baker street in saint louis'],
];
