// hb_dnn: the functions of hbDNN, as a library that comes with a board has them. Linking against libdnn.so would do as
// well.
// Flow: main.cpp calls them.
#include <nnrt/hb_dnn.hpp>
