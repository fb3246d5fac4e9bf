"""Whole phrases that no grammar makes: greetings, thanks, and what a class tries first.

English = Korean as it is translated to / other Korean that means the same. They are always learned
and never held out, and carry no links: they are translated as a whole.
"""

from __future__ import annotations

PHRASES = """
Hello. = 안녕하세요. / 안녕하십니까?
Hi. = 안녕.
Hello, everyone. = 여러분, 안녕하세요. / 안녕하세요, 여러분.
Good morning. = 좋은 아침이에요. / 좋은 아침입니다. / 좋은 아침.
Good night. = 안녕히 주무세요. / 잘 자요. / 잘 자. / 좋은 밤 되세요.
Goodbye. = 안녕히 가세요. / 안녕히 계세요. / 잘 가. / 잘 있어. / 잘 가요.
See you later. = 나중에 봐요. / 나중에 봐. / 이따 봐요. / 이따 봐.
See you tomorrow. = 내일 봐요. / 내일 봐. / 내일 봅시다. / 내일 만나요.
See you again. = 또 봐요. / 또 봐. / 다음에 봐요. / 또 만나요.
Thank you. = 고마워요. / 고마워. / 고맙습니다. / 감사합니다. / 감사해요.
Thank you very much. = 정말 고마워요. / 정말 고마워. / 정말 감사합니다. / 대단히 감사합니다.
    / 정말 고맙습니다.
Thank you for your help. = 도와줘서 고마워요. / 도와줘서 고마워. / 도와주셔서 감사합니다.
You are welcome. = 천만에요. / 별말씀을요. / 천만에.
I am sorry. = 미안해요. / 미안해. / 미안합니다. / 죄송합니다. / 죄송해요.
I am really sorry. = 정말 미안해요. / 정말 미안해. / 정말 죄송합니다. / 정말 죄송해요.
Excuse me. = 실례합니다. / 실례해요. / 저기요.
That is okay. = 괜찮아요. / 괜찮아. / 괜찮습니다.
Are you okay? = 괜찮아요? / 괜찮아? / 괜찮습니까? / 괜찮으세요? / 괜찮니?
How are you? = 어떻게 지내요? / 어떻게 지내? / 어떻게 지내세요? / 어떻게 지내십니까?
    / 어떻게 지내니?
I am fine. = 잘 지내요. / 잘 지내. / 잘 지냅니다. / 저는 잘 지내요. / 나는 잘 지내.
Nice to meet you. = 만나서 반가워요. / 만나서 반가워. / 만나서 반갑습니다. / 반갑습니다. / 반가워요.
Long time no see. = 오랜만이에요. / 오랜만이야. / 오랜만입니다.
What is your name? = 이름이 뭐예요? / 이름이 뭐야? / 이름이 무엇입니까? / 네 이름은 뭐니?
    / 너의 이름은 뭐니? / 성함이 어떻게 되세요? / 이름이 뭐니? / 당신의 이름은 무엇입니까?
How old are you? = 몇 살이에요? / 몇 살이야? / 몇 살입니까? / 나이가 어떻게 되세요? / 몇 살이니?
    / 넌 몇 살이니?
Where are you from? = 어디에서 왔어요? / 어디에서 왔어? / 어디에서 왔습니까? / 어디서 왔어요?
    / 어디에서 오셨어요?
Where do you live? = 어디에 살아요? / 어디에 살아? / 어디에 삽니까? / 어디 살아? / 어디에 사세요?
    / 어디에 사니?
What do you do? = 무슨 일을 해요? / 무슨 일을 해? / 무슨 일을 합니까? / 무슨 일을 하세요?
    / 무슨 일을 하니?
Yes. = 네. / 예. / 응. / 그래.
No. = 아니요. / 아니. / 아뇨. / 아닙니다.
Of course. = 물론이에요. / 물론이지. / 물론입니다. / 물론이죠.
I do not know. = 몰라요. / 몰라. / 모릅니다. / 저는 몰라요. / 나는 몰라. / 모르겠어요.
    / 모르겠습니다.
I know. = 알아요. / 알아. / 압니다. / 저는 알아요. / 나는 알아.
I understand. = 이해해요. / 이해해. / 이해합니다. / 알겠어요. / 알겠습니다. / 알겠어.
I do not understand. = 이해하지 못해요. / 이해하지 못해. / 이해하지 못합니다. / 이해가 안 돼요.
Please help me. = 도와주세요. / 도와줘. / 저를 도와주세요. / 나를 도와줘.
Please wait a moment. = 잠깐 기다려 주세요. / 잠깐 기다려. / 잠깐만 기다려 주세요. / 잠시만요.
    / 잠깐만요.
Please say it again. = 다시 말해 주세요. / 다시 말해 줘. / 다시 말씀해 주세요.
Please speak slowly. = 천천히 말해 주세요. / 천천히 말해 줘. / 천천히 말씀해 주세요.
Please sit down. = 앉으세요. / 앉아 주세요. / 앉아. / 앉으십시오.
Come in. = 들어오세요. / 들어와. / 들어와요. / 들어오십시오.
Welcome. = 어서 오세요. / 어서 와. / 환영합니다. / 환영해요.
Congratulations. = 축하해요. / 축하해. / 축하합니다. / 축하드려요.
Happy birthday. = 생일 축하해요. / 생일 축하해. / 생일 축하합니다.
Happy New Year. = 새해 복 많이 받으세요. / 새해 복 많이 받아.
Merry Christmas. = 메리 크리스마스.
Good luck. = 행운을 빌어요. / 행운을 빌어. / 행운을 빕니다.
Cheer up. = 힘내세요. / 힘내. / 힘내요.
I love you. = 저는 당신을 사랑해요. / 사랑해요. / 사랑해.
    / 사랑합니다. / 당신을 사랑해요. / 널 사랑해. / 너를 사랑해.
    / 나는 너를 사랑해.
I like you. = 저는 당신을 좋아해요. / 당신을 좋아해요.
    / 너를 좋아해. / 널 좋아해. / 나는 너를 좋아해.
I miss you. = 보고 싶어요. / 보고 싶어. / 보고 싶습니다. / 네가 보고 싶어.
Do you like me? = 당신은 저를 좋아해요? / 저를 좋아해요?
    / 나를 좋아해? / 날 좋아하니? / 너는 나를 좋아해?
    / 넌 나를 좋아하니?
What are you doing? = 뭐 해요? / 뭐 해? / 뭐 하고 있어요? / 뭐 하세요? / 뭐 하니?
    / 무엇을 하고 있어요? / 무엇을 하고 있습니까?
Where are you going? = 어디 가요? / 어디 가? / 어디에 가고 있어요? / 어디 가세요? / 어디 가니?
    / 어디에 가요?
Where are you? = 어디에 있어요? / 어디에 있어? / 어디 있어? / 어디예요? / 어디야? / 어디에 있니?
    / 너는 어디에 있니? / 당신은 어디에 있어요?
What time is it? = 몇 시예요? / 몇 시야? / 몇 시입니까? / 지금 몇 시예요? / 지금 몇 시야? / 몇 시니?
What day is it today? = 오늘은 무슨 요일이에요? / 오늘은 무슨 요일이야? / 오늘은 무슨 요일입니까?
    / 오늘 무슨 요일이에요?
How much is it? = 얼마예요? / 얼마야? / 얼마입니까? / 그것은 얼마예요?
What is the matter? = 무슨 일이에요? / 무슨 일이야? / 무슨 일입니까? / 무슨 일이니?
The weather is good today. = 오늘은 날씨가 좋아요. / 오늘은 날씨가 좋아. / 오늘은 날씨가 좋습니다.
    / 오늘 날씨가 좋아요. / 오늘 날씨가 좋네요.
The weather is bad today. = 오늘은 날씨가 나빠요. / 오늘은 날씨가 나빠. / 오늘은 날씨가 나쁩니다.
    / 오늘 날씨가 나빠요.
How is the weather today? = 오늘은 날씨가 어때요? / 오늘 날씨가 어때요? / 오늘 날씨 어때?
    / 오늘은 날씨가 어떻습니까?
It is raining. = 비가 와요. / 비가 와. / 비가 옵니다. / 비가 오고 있어요. / 비가 내려요.
It is snowing. = 눈이 와요. / 눈이 와. / 눈이 옵니다. / 눈이 오고 있어요. / 눈이 내려요.
It is cold today. = 오늘은 추워요. / 오늘은 추워. / 오늘은 춥습니다. / 오늘 추워요.
It is hot today. = 오늘은 더워요. / 오늘은 더워. / 오늘은 덥습니다. / 오늘 더워요.
The wind is blowing. = 바람이 불어요. / 바람이 불어. / 바람이 붑니다. / 바람이 불고 있어요.
I am hungry. = 저는 배고파요. / 배가 고파요. / 배가 고파. / 배가 고픕니다. / 저는 배가 고파요.
    / 나는 배가 고파.
I want to go home. = 저는 집에 가고 싶어요. / 집에 가고 싶어요. / 집에 가고 싶어.
    / 나는 집에 가고 싶어. / 집에 가고 싶습니다.
I am at home. = 저는 집에 있어요. / 집에 있어요. / 집에 있어. / 나는 집에 있어.
    / 저는 집에 있습니다.
Let's go home. = 집에 갑시다. / 집에 가자.
Let's go. = 갑시다. / 가자.
I like it. = 그것을 좋아해요. / 저는 그것을 좋아해요. / 나는 그것을 좋아해. / 마음에 들어요.
    / 마음에 들어.
I can speak a little Korean. = 저는 한국어를 조금 할 수 있어요. / 한국어를 조금 할 수 있어요.
    / 한국어를 조금 해요.
That is right. = 맞아요. / 맞아. / 맞습니다.
That is wrong. = 틀려요. / 틀려. / 틀렸어요. / 틀렸습니다.
Really? = 정말이에요? / 정말? / 정말이야? / 진짜예요? / 진짜?
Why? = 왜요? / 왜?
Be careful. = 조심하세요. / 조심해. / 조심해요. / 조심하십시오.
Do not worry. = 걱정하지 마세요. / 걱정하지 마. / 걱정 마세요. / 걱정 마.
Enjoy your meal. = 맛있게 드세요. / 맛있게 먹어. / 맛있게 드십시오.
It is delicious. = 맛있어요. / 맛있어. / 맛있습니다.
Where is the restroom? = 화장실은 어디에 있어요? / 화장실이 어디예요? / 화장실이 어디야?
    / 화장실은 어디입니까? / 화장실이 어디에 있어요?
"""


def phrases() -> list[tuple[str, tuple[str, ...]]]:
    """Each English phrase with its Korean forms, the canonical one first."""
    found = []
    for line in PHRASES.replace("\n    /", " /").strip().splitlines():
        english, _, korean = line.partition(" = ")
        found.append((english, tuple(korean.split(" / "))))
    return found
