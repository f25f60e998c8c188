/** Frequent words that are not English. */
export const FREQUENT: Record<string, string> = {
  German:
    'der das und ist nicht ich sie wir ein eine einen einem einer zu den dem des mit auf für von im sich auch es wie aber oder dass kann wird werden haben sind bei nach heute bitte danke guten über noch nur wenn mehr sehr wo mein ihr uns hier schon',
  French:
    'le la les et est une des du dans que qui pour pas vous nous je il elle ce cette avec sur sont au aux mais ou plus par ne se votre mon bonjour merci être avoir fait comme très aujourd où',
  Spanish:
    'el los las una de del que es en por para con está son muy pero como más se lo le su al este esta hay gracias buenos puede tiene usted hola también cuando donde todo',
  Italian:
    'il lo gli una di del della che è per con non sono come più anche questo questa alla dei nel ma ciao grazie molto ha si le un dove quando tutto buongiorno',
  Portuguese:
    'uma do da dos das que é em não para com por mais como mas foi ao ele ela está você obrigado bom muito também os seu sua tem são à pelo quando onde',
  Dutch:
    'het een van en niet ik je dat zijn op te voor met aan ook er maar om bij naar wordt heeft kan deze goedemorgen alstublieft hoe wij uw',
  Polish: 'nie się jest na że do to jak ale czy po za od dla przez są być może mi dzień dobry proszę gdzie w z i',
  Swedish: 'och att det som är på av den inte jag du vi ett med för har till om kan var ska hur god tack',
  Danish: 'og at det er på af den ikke jeg du vi et med har til kan hvor tak der som skal være',
  Turkish: 've bir bu için ile çok ne mi değil ama var gibi daha olarak merhaba nasıl teşekkür en nerede',
  Romanian: 'și este în la nu cu pe din care mai pentru sunt un o ce dar bună mulțumesc unde cum',
  Czech: 'je na že se to s z do jsem jak ale nebo pro tak dobrý den prosím kde děkuji být',
  Indonesian: 'yang dan di ini itu dengan untuk tidak dari akan ada saya anda apa bisa terima kasih selamat',
};
/** Frequent English words. */
export const ENGLISH =
  'the of and to in is you that it he was for on are as with his they at be this have from or one had by word but not what all were we when your can said there use an each which she do how their if will up other about out many then them these so some her would make like him into time has look two more go see no way could people my than first been who its now did get come made may part please thank yes i a me us our not let';
