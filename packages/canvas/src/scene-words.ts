export const PLACES = {
  mountain: 'mountain|peak|summit|alps|himalaya|mountain range|cliff|canyon|fjord|everest|andes|rockies|mount|mt|fuji',
  volcano: 'volcano|lava|eruption',
  hill: 'hill|valley|countryside|hillside|rolling hills|landscape|vineyard|highland|moor',
  meadow: 'meadow|field|garden|park|farm|pasture|lawn|prairie|grassland|savanna|savannah|orchard|picnic',
  forest: 'forest|wood|woods|jungle|rainforest|woodland|grove|taiga',
  sea: 'sea|ocean|bay|harbor|harbour|coast|coastline|seaside|pier|atlantic|pacific|seascape|marina|port|lagoon',
  beach: 'beach|shore|seashore|sandcastle|coastal dune',
  lake: 'lake|pond|reservoir|loch|swamp|marsh',
  river: 'river|stream|creek|brook|canal',
  waterfall: 'waterfall|cascade',
  island: 'island|isle|atoll|archipelago',
  desert: 'desert|dune|sahara|sand dune|oasis|mesa|sand|wasteland',
  snow: 'snowscape|arctic|antarctica|glacier|tundra|iceberg|ice|north pole|winter wonderland|snowfield|frozen lake',
  city: 'city|town|skyline|downtown|metropolis|cityscape|new york|paris|tokyo|london|manhattan|shanghai|urban',
  street: 'street|alley|alleyway|sidewalk|avenue|boulevard|market|plaza',
  village: 'village|hamlet|settlement',
  road: 'road|path|highway|trail|lane|motorway|walkway',
  sky: 'sky|heaven|horizon|skies',
  space:
    'space|galaxy|nebula|cosmos|universe|outer space|milky way|orbit|planet|saturn|mars|jupiter|asteroid|constellation',
  underwater: 'underwater|coral reef|reef|under the sea|seabed|ocean floor|deep sea|undersea|aquarium',
  room: 'room|kitchen|interior|living room|bedroom|still life|tabletop|indoors|window sill|windowsill|studio|bar',
} as const;

export const LIGHTS = {
  sun: 'sun|sunshine|sunlight|sunny|sunbeam',
  moon: 'moon|full moon|crescent moon|crescent|moonlight|moonlit|half moon',
  star: 'star|starry|starlight|stargazing|starlit',
  cloud: 'cloud|cloudy|overcast|cloudscape',
  rainbow: 'rainbow',
  aurora: 'aurora|northern lights|aurora borealis|polar lights',
  comet: 'shooting star|comet|meteor|meteor shower|falling star',
  lightning: 'lightning|thunder|thunderstorm|lightning bolt',
} as const;

export const TIMES = {
  dawn: 'dawn|sunrise|daybreak|first light',
  morning: 'morning',
  day: 'day|noon|midday|afternoon|daylight|daytime',
  golden: 'golden hour|golden light|late afternoon|evening light|warm light',
  sunset: 'sunset|evening|sundown',
  dusk: 'dusk|twilight|blue hour|nightfall|gloaming',
  night: 'night|midnight|nighttime|nocturnal|night sky',
} as const;

export const WEATHERS = {
  rain: 'rain|rainy|raining|drizzle|shower|downpour|rainstorm|wet',
  storm: 'storm|stormy|tempest|hurricane|tornado|typhoon',
  snowfall: 'snow|snowy|snowing|snowfall|blizzard|snowflake|snowstorm|snowcapped|snow-capped|frost|frosty|icy|frozen',
  fog: 'fog|foggy|mist|misty|haze|hazy|smoke|smoky|smog',
  wind: 'wind|windy|breeze|breezy|gale',
  clear: 'clear|cloudless',
} as const;

export const SEASONS = {
  spring: 'spring|springtime',
  summer: 'summer|summertime',
  autumn: 'autumn|fall foliage|autumnal|harvest|fall colors|fall leaves|october|november',
  winter: 'winter|wintry|wintertime|christmas|december',
} as const;

export const MOODS = {
  gloomy:
    'dark|gloomy|moody|sad|lonely|melancholy|melancholic|somber|bleak|desolate|grim|eerie|spooky|haunted|creepy|ominous|scary|halloween',
  vivid:
    'vibrant|vivid|cheerful|happy|joyful|bright|colorful|colourful|lively|festive|playful|fun|tropical|saturated|bold',
  calm: 'calm|peaceful|serene|quiet|tranquil|still|gentle|relaxing|cozy|cosy|soft|soothing|silent',
  dreamy:
    'dreamy|dream|magical|magic|mystical|mysterious|enchanted|fantasy|ethereal|fairytale|fairy|surreal|whimsical|romantic|wonderland|mystic',
  epic: 'epic|dramatic|majestic|heroic|grand|powerful|cinematic',
} as const;

export const STYLES = {
  watercolor: 'watercolor|watercolour|aquarelle|wash|gouache',
  ink: 'sketch|ink|line art|lineart|pencil|drawing style|pen and ink|charcoal|engraving|woodcut|linocut|etching|doodle',
  mono: 'black and white|monochrome|noir|grayscale|greyscale|black & white|b&w|monochromatic',
  sepia: 'sepia|vintage|old photo|retro|antique|nostalgic|aged',
  neon: 'neon|cyberpunk|synthwave|vaporwave|retrowave|outrun|futuristic',
  pastel: 'pastel|soft colors|kawaii|cute|children book|storybook|nursery',
  lowpoly: 'low poly|low-poly|polygonal|geometric|origami|cubist|cubism|faceted',
  pixel: 'pixel|pixel art|pixelated|8-bit|8bit|16-bit|voxel',
  minimal: 'minimal|minimalist|minimalism|minimalistic|simple|flat|flat design|poster style',
  abstract:
    'abstract|abstraction|pattern|wallpaper|fractal|mandala|bauhaus|suprematism|kandinsky|mondrian|shapes|composition',
  ukiyoe: 'ukiyo-e|ukiyoe|japanese style|japanese print|hokusai|woodblock',
} as const;
