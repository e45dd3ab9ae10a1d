import type { TrainedText } from './trained.en'

const quoted = (words: readonly string[]): string => words.map((word) => `“${word}”`).join('、')

const roundings: Readonly<Record<string, string>> = { '2 decimals': '两位小数', float16: '半精度（float16）' }

export const trained: TrainedText = {
  name: '训练所得',
  here: '本页训练',
  hereOnly: '这个模型是在本页训练的，也只在本页：链接带不走，刷新就没有了。',
  recipe: (seed, steps) => `种子 ${seed} · ${steps} 步`,
  caption: (name, seed, steps) => `${name}，种子 ${seed}，${steps} 步`,
  loading: (percent) => `正在取训练好的参数，${percent}%`,
  loadingSome: (megabytes) => `正在取训练好的参数，${megabytes} MB`,
  meanwhile: '先用随机的',
  retry: '再试一次',
  kinds: { label: '用哪一种数', trained: '训练所得', seeded: '随机种子', run: '本页训练' },
  short: {
    size: '这个大小没有训练好的模型',
    run: '本页训练的模型不在了',
    positions: '训练好的模型离不开位置',
    words: (words) => (words.length > 1 ? `有 ${words.length} 个词模型没学过` : `模型没学过${quoted(words)}`),
    length: '句子太长，模型没练过',
    load: '训练好的模型没能取来',
    meanwhile: '训练好的还在路上',
  },
  why: {
    size: (sizes) => `这个大小没有训练好的模型，有的是 ${sizes.join('、')}。所以这里是随机种子产生的数。`,
    run: '这个模型只在当时的页面里：链接带不走，刷新就没有了。到“训练”里再练一个吧。',
    positions: '训练好的模型没见过不带位置的句子。打开位置，就又是它的数。',
    words: (words) => `训练好的模型没学过${quoted(words)}，所以这里是随机种子产生的数。换成它认识的词，就又是训练所得的数。`,
    length: '训练时没有这么长的句子，所以这里是随机种子产生的数。短一点，就又是训练所得的数。',
    load: '训练好的模型没能取来。看看网络，再试一次；这之前用的是随机种子产生的数。',
    meanwhile: '训练好的模型还在路上，到之前用的是随机种子产生的数。',
  },
  words: (words) => `模型认识 ${words.length} 个中文词：`,
  task: '学的是读关系：动词说出谁给的、给了谁，代词说出指的是谁，“因为”说出原因，后面的动词说出宾语。训练时给了标准答案，任务本来就有好几件事；哪个头做哪件，没有人规定。',
  run: (seed, chosen, steps, batch) => `种子 ${seed}${chosen}，练了 ${steps} 步，每步 ${batch} 个句子。`,
  first: '（第一个试的就是它）',
  lowest: (seeds) => `（试了 ${seeds} 个，挑了损失最小的：不是一般的样子）`,
  held: (loss, accuracy, relations) => `拿没训练过的句子来考：损失 ${loss}，答对 ${accuracy}（${relations.join('，')}）。`,
  spread: (fewest, middle, most) => `试过的种子，答对的从 ${fewest} 到 ${most}，居中的是 ${middle}。`,
  rounding: (how, largest) => `存成${roundings[how] ?? ` ${how}`}，每个数的改动不超过 ${largest}。`,
  sentence: (head, query, key, weight) => `在这句话里，头 ${head} 给 ${query} → ${key} 的注意力权重最大：${weight}。`,
  reliable: (head, share) => `靠得住吗？在没训练过的全部中文句子里，头 ${head} 最大的注意力权重有 ${share} 落在代词指的那个词上。`,
  byProduct: '任务里没有事做的词，也有图案：那是副产品。',
  relations: { giver: '谁给的', receiver: '给了谁', reference: '指代', cause: '原因', object: '宾语' },
  share: (relation, share) => `${relation} ${share}`,
}
