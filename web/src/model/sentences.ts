// The lesson's sentence, cut as in the lesson, and the words that are never cut further.
export type Lang = 'zh' | 'en'

export const lessonSentence: Readonly<Record<Lang, readonly string[]>> = {
  zh: ['小明', '把', '蛋糕', '递给', '小红', '因为', '她', '不', '饿', '了', '。'],
  en: ['Tom', 'passed', 'the', 'cake', 'to', 'Lily', 'because', 'she', 'was', 'no', 'longer', 'hungry', '.'],
}

/** Three words for whoever never met attention. */
export const shortSentence: Readonly<Record<Lang, readonly string[]>> = {
  zh: ['小红', '吃', '蛋糕'],
  en: ['Lily', 'eats', 'cake'],
}

/** Tried first, longest first; what they leave is cut by Intl.Segmenter, which does not know the lesson's names. */
export const vocabulary: readonly string[] = [
  '小明', '小红', '小丽', '小伟', '小军', '他', '她', '它',
  '把', '被', '给', '递给', '借给', '送给', '因为', '所以', '不', '了', '饿', '吃', '吃饱', '昨天', '今天',
  '蛋糕', '苹果', '笔记', '磁铁', '钉子', '吸起', '磁力', '强', '分量', '轻', '教练', '前锋', '换下', '抽筋', '想', '换', '打法',
  '绳子', '勒断', '树枝', '枯', '拉得', '太', '紧', '缺课', '多', '抄', '一份', '水壶', '烫坏', '桌布', '烫', '是', '尼龙', '的',
]

/** Ready to try: the lesson's sentence, the same with a word of time, and pairs in which one word decides who is meant. */
export const readySentences: Readonly<Record<Lang, readonly (readonly string[])[]>> = {
  zh: [
    ['小明把蛋糕递给小红因为她不饿了。', '昨天小明把蛋糕递给小红因为她不饿了。'],
    ['小红把蛋糕递给小丽，因为她饿了。', '小红把蛋糕递给小丽，因为她吃饱了。'],
    ['磁铁吸起了钉子，因为它磁力强。', '磁铁吸起了钉子，因为它分量轻。'],
    ['教练换下前锋，因为他抽筋了。', '教练换下前锋，因为他想换打法。'],
    ['绳子勒断了树枝，因为它枯了。', '绳子勒断了树枝，因为它拉得太紧。'],
    ['小伟把笔记借给小军，因为他缺课了。', '小伟把笔记借给小军，因为他多抄了一份。'],
    ['水壶烫坏了桌布，因为它太烫。', '水壶烫坏了桌布，因为它是尼龙的。'],
  ],
  en: [
    ['Tom passed the cake to Lily because she was no longer hungry.', 'Yesterday Tom passed the cake to Lily because she was no longer hungry.'],
    ['Lily passed Rose the cake because she was hungry.', 'Lily passed Rose the cake because she was full.'],
    ['The magnet picked up the nail because it was strong.', 'The magnet picked up the nail because it was light.'],
    ['The coach took off the striker because he had a cramp.', 'The coach took off the striker because he wanted to change tactics.'],
    ['The rope broke the branch because it was dead.', 'The rope broke the branch because it was pulled too tight.'],
    ['Wei lent Jun his notes because he had missed class.', 'Wei lent Jun his notes because he had made an extra copy.'],
    ['The kettle ruined the tablecloth because it was too hot.', 'The kettle ruined the tablecloth because it was made of nylon.'],
  ],
}
